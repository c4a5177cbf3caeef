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
import { distrust, rankOf, type Standing, standingOf, succeed } from './standing.ts'
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
  /** Whether a failure means that the endpoint's answer is false: it is then asked last for much longer. Default: none does. */
  readonly isFalse?: (why: RpcError) => boolean
  /** Whether an answer was found right: sixteen of them, and an earlier false one counts no more. Default: none is. */
  readonly isVerified?: (response: RpcResponse) => boolean
  /** For how long after the first false answer, in ms; each further one doubles it, up to 64 times. Default 60,000. */
  readonly distrustMs?: number
  /** Whether an answer to a read counts only where no other endpoint has a better one. `spare`: the first such one. Default: none does. */
  readonly isLastResort?: (response: RpcResponse, spare: RpcResponse | undefined) => boolean
  /** Whether an endpoint is asked before others that have fared alike. Default: none is. */
  readonly prefers?: (endpoint: Endpoint, request: RpcRequest) => boolean
  /**
   * Whether an answer says that the endpoint cannot take this call and was not asked: another one is then asked, for a write
   * too, and the first such answer is given only where no endpoint answers. Default: none does.
   */
  readonly isRefusal?: (response: RpcResponse) => boolean
  /** Hears of each attempt that failed, also of a stream that broke off. */
  readonly onFailure?: (endpoint: Endpoint, why: RpcError) => void
}

/** Failures that another endpoint would not mend. */
const final = new Set<RpcError['code']>(['aborted', 'denied', 'too_large'])

/**
 * A handler over several endpoints: asks the first that has not just failed or told what is false, and the next one where that
 * is safe. A write goes on only when it cannot have arrived. @throws RpcError `unavailable` where every endpoint failed.
 */
export function createPool(options: PoolOptions): RpcHandler {
  const { clock, isRepeatable, opensSubscription, attemptTimeoutMs = 10_000, cooldownMs = 2_000 } = options
  const { isFalse = () => false, distrustMs = 60_000, isLastResort = () => false, isRefusal = () => false } = options
  const { prefers, isVerified = () => false } = options
  const standings = options.endpoints.map(standingOf)

  function order(request: RpcRequest): readonly Standing[] {
    const able = opensSubscription(request)
      ? standings.filter(({ endpoint }) => endpoint.carriesSubscriptions)
      : standings
    if (able.length < 2) return able
    const now = clock.now()
    const place = (standing: Standing): number =>
      2 * rankOf(standing, now) + (prefers === undefined || prefers(standing.endpoint, request) ? 0 : 1)
    // Usually nobody has failed, and the order is the given one.
    return able.every((standing) => place(standing) === 0) ? able : able.toSorted((a, b) => place(a) - place(b))
  }

  /** `left`: among how many attempts the time that is left is shared, this one included. */
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

  /** `falsehoods`: how many the endpoint had told when the attempt began. What was asked before the last of them counts with it. */
  function fail(standing: Standing, why: RpcError, falsehoods: number): void {
    if (!isFalse(why)) standing.failedUntil = clock.now() + cooldownMs
    else if (standing.falsehoods <= falsehoods) distrust(standing, clock.now(), distrustMs)
    options.onFailure?.(standing.endpoint, why)
  }

  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    const candidates = order(request)
    const repeatable = isRepeatable(request)
    let last: RpcError | undefined
    let refuted: RpcError | undefined
    let spare: RpcResponse | undefined
    let refusal: RpcResponse | undefined
    let delivery: RpcError['delivery'] = 'not_sent'
    for (const [i, standing] of candidates.entries()) {
      const { falsehoods } = standing
      // An answer in hand is not lost to an endpoint that is silent.
      const left = candidates.length - i + (spare === undefined ? 0 : 1)
      try {
        const response = await attempt(standing, request, context, repeatable ? left : 1)
        if (isRefusal(response)) {
          refusal ??= response
          continue
        }
        succeed(standing, isVerified(response))
        const meta = { ...response.meta, endpoint: standing.endpoint.name, attempts: i + 1 }
        if (repeatable && isLastResort(response, spare)) {
          spare ??= { ...response, meta }
          continue
        }
        if (response.error !== undefined || !isStream(response.result)) return { ...response, meta }
        return { ...response, meta, result: watchedStream(response.result, (why) => fail(standing, why, falsehoods)) }
      } catch (thrown) {
        if (context.cancelled !== undefined) throw context.cancelled
        const why = toRpcError(thrown, 'unavailable', 'the endpoint failed')
        if (final.has(why.code) && spare === undefined) throw why
        fail(standing, why, falsehoods)
        if (why.delivery !== 'not_sent' && !repeatable) throw why
        if (why.delivery === 'unknown') delivery = 'unknown'
        if (isFalse(why)) refuted = why
        last = why
      }
    }
    if (spare !== undefined) return spare
    if (refusal !== undefined) return refusal
    if (candidates.length === 1) throw last!
    const asked =
      candidates.length === 0 ? 'no upstream can take this call' : `none of ${candidates.length} upstreams answered`
    throw new RpcError('unavailable', asked, {
      // That somebody lied says more than that somebody was not there.
      cause: refuted ?? last,
      delivery,
      retryAfterMs: last?.retryAfterMs,
    })
  }
}
