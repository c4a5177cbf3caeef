import {
  type Clock,
  isStream,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import { watchedStream } from '../watched-stream.ts'
import type { RangeRefusal } from './asked-range.ts'
import type { RangeLimits } from './range-limits.ts'

export interface WatchRangesOptions {
  readonly limits: RangeLimits
  /** The methods whose calls ask for a range of blocks. */
  readonly methods: ReadonlySet<string>
  /** Reads a node's error: `failed`: the node broke down, perhaps over the range; undefined: it has nothing to do with the range. */
  readonly refusalOf: (request: RpcRequest, error: RpcErrorObject) => RangeRefusal | 'failed' | undefined
  readonly clock: Clock
}

/** A call that is given up counts as failed after five times what is usual; at least, and where nothing is, after so many ms. */
const leastSilenceMs = 250
const unknownSilenceMs = 1_000
/** Statuses of a node, or of what stands before it, that has broken down over a call. */
const brokenStatuses = new Set([500, 502, 504, 520, 522, 524])
const contentTooLarge = 413

/**
 * Wraps an endpoint, so that its limits of ranges are learnt. HTTP 413, by which QuickNode refuses ranges, becomes an error answer: the
 * node's own where it is a refusal.
 */
export function watchRanges<E extends Endpoint>(endpoint: E, options: WatchRangesOptions): E {
  const { limits, methods, refusalOf, clock } = options
  const { name } = endpoint
  /** Time that answers take, as a mean in which the last one counts for an eighth, in ms. */
  let usualMs: number | undefined

  async function watch(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    const since = clock.now()
    if (!limits.isEmpty) limits.began(name, request)
    try {
      const response = await endpoint.handler(request, context)
      if (response.error === undefined) {
        const ms = clock.now() - since
        usualMs = usualMs === undefined ? ms : usualMs + (ms - usualMs) / 8
      }
      return answered(request, context, response)
    } catch (thrown) {
      const error = tooLarge(request, thrown)
      if (error !== undefined) return answered(request, context, { error })
      const isSilent = (): boolean =>
        clock.now() - since >= (usualMs === undefined ? unknownSilenceMs : Math.max(leastSilenceMs, 5 * usualMs))
      if (context.cancelled === undefined ? isBroken(thrown) : isSilent()) limits.failed(name, request)
      throw thrown
    }
  }

  function answered(request: RpcRequest, context: RpcContext, response: RpcResponse): RpcResponse {
    const { error, result } = response
    if (error !== undefined) {
      const refusal = refusalOf(request, error)
      if (refusal === 'failed') limits.failed(name, request)
      else if (refusal !== undefined) limits.refused(name, request, refusal)
      return response
    }
    limits.passed(name, request)
    if (!isStream(result)) return response
    const stream = watchedStream(result, context, (broken) => {
      if (broken !== undefined) limits.failed(name, request)
    })
    return { ...response, result: stream }
  }

  function tooLarge(request: RpcRequest, thrown: unknown): RpcErrorObject | undefined {
    if (!(thrown instanceof RpcError) || thrown.httpStatus !== contentTooLarge) return undefined
    const { rpc } = thrown
    return typeof (rpc && refusalOf(request, rpc)) === 'object' ? rpc : refusedWithoutWords
  }

  return {
    ...endpoint,
    handler: (request, context) =>
      methods.has(request.method) ? watch(request, context) : endpoint.handler(request, context),
  }
}

/** The error of a node that refuses a range by HTTP 413 alone. */
const refusedWithoutWords: RpcErrorObject = { code: -32602, message: 'block range or response too large' }

/** Whether a call may have failed because of its range: not where the node could not be reached. */
function isBroken(thrown: unknown): boolean {
  if (!(thrown instanceof RpcError)) return false
  if (thrown.code === 'http_status') return brokenStatuses.has(thrown.httpStatus ?? 0)
  return thrown.code === 'disconnected' || thrown.code === 'timeout'
}
