import {
  type Clock,
  isStream,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import type { Endpoint } from './endpoint.ts'
import { watchedStream } from './watched-stream.ts'

export interface PoolOptions {
  /** In order of preference. */
  readonly endpoints: readonly Endpoint[]
  /** Whether a call may be sent again when it is unknown whether the first one arrived: reads. */
  readonly isRepeatable: (request: RpcRequest) => boolean
  /** Whether a call needs an endpoint that can push. */
  readonly opensSubscription: (request: RpcRequest) => boolean
  readonly clock: Clock
  /** How long one endpoint may take at most while another could be asked, in ms. Default 10,000, or its share of the time left. */
  readonly attemptTimeoutMs?: number
  /** How long an endpoint that failed is asked last, in ms. Default 2,000. */
  readonly cooldownMs?: number
  /** Hears of each attempt that failed, also of a stream that broke off. */
  readonly onFailure?: (endpoint: Endpoint, why: RpcError) => void
}

/** Failures that another endpoint would not mend. */
const final = new Set<RpcError['code']>(['aborted', 'denied', 'too_large'])

/**
 * A handler over several endpoints: asks the first that has not just failed, and the next one where that is safe.
 * A write goes on only when it cannot have arrived. @throws RpcError `unavailable` where every endpoint failed.
 */
export function createPool(options: PoolOptions): RpcHandler {
  const { clock, isRepeatable, opensSubscription, attemptTimeoutMs = 10_000, cooldownMs = 2_000 } = options
  const standings = options.endpoints.map((endpoint) => ({ endpoint, failedUntil: Number.NEGATIVE_INFINITY }))
  type Standing = (typeof standings)[number]

  function order(request: RpcRequest): readonly Standing[] {
    const able = opensSubscription(request)
      ? standings.filter(({ endpoint }) => endpoint.carriesSubscriptions)
      : standings
    if (able.length < 2) return able
    const now = clock.now()
    // Usually nobody has failed, and the order is the given one.
    if (able.every(({ failedUntil }) => failedUntil <= now)) return able
    return able.toSorted((a, b) => Number(a.failedUntil > now) - Number(b.failedUntil > now))
  }

  /** `left`: how many endpoints may still be asked, this one included; they share the time that is left. */
  async function attempt(
    { endpoint }: Standing,
    request: RpcRequest,
    context: RpcContext,
    left: number,
  ): Promise<RpcResponse> {
    const { handler } = endpoint
    if (left === 1) return handler(request, context)
    const now = clock.now()
    const fork = context.fork({ deadline: now + Math.min(attemptTimeoutMs, (context.deadline - now) / left) })
    try {
      const response = await handler(request, fork.context)
      if (response.error === undefined && isStream(response.result)) context.onCancel((why) => fork.cancel(why))
      return response
    } finally {
      fork.release()
    }
  }

  function fail(standing: Standing, why: RpcError): void {
    standing.failedUntil = clock.now() + cooldownMs
    options.onFailure?.(standing.endpoint, why)
  }

  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    const candidates = order(request)
    const repeatable = isRepeatable(request)
    let last: RpcError | undefined
    let delivery: RpcError['delivery'] = 'not_sent'
    for (const [i, standing] of candidates.entries()) {
      try {
        const response = await attempt(standing, request, context, repeatable ? candidates.length - i : 1)
        standing.failedUntil = Number.NEGATIVE_INFINITY
        const meta = { ...response.meta, endpoint: standing.endpoint.name, attempts: i + 1 }
        if (response.error !== undefined || !isStream(response.result)) return { ...response, meta }
        return { ...response, meta, result: watchedStream(response.result, (why) => fail(standing, why)) }
      } catch (thrown) {
        if (context.cancelled !== undefined) throw context.cancelled
        const why = toRpcError(thrown, 'unavailable', 'the endpoint failed')
        if (final.has(why.code)) throw why
        fail(standing, why)
        if (why.delivery !== 'not_sent' && !repeatable) throw why
        if (why.delivery === 'unknown') delivery = 'unknown'
        last = why
      }
    }
    if (candidates.length === 1) throw last!
    const asked =
      candidates.length === 0 ? 'no upstream can take this call' : `none of ${candidates.length} upstreams answered`
    throw new RpcError('unavailable', asked, {
      cause: last,
      delivery,
      retryAfterMs: last?.retryAfterMs,
    })
  }
}
