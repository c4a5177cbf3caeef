import type { Clock } from '../clock.ts'
import type { RpcContext } from '../context.ts'
import { systemClock, systemRandom } from '../defaults.ts'
import { RpcError, toRpcError } from '../error.ts'
import type { RpcMiddleware } from '../handler.ts'
import type { RpcRequest } from '../request.ts'
import type { RpcResponse } from '../response.ts'
import type { RawJson, RpcErrorObject } from '../wire.ts'

export interface RetryOptions {
  /**
   * Whether a call may be sent again when the first one can have arrived, as reads may. Every other call is repeated only
   * after an error with `delivery` `not_sent`.
   */
  readonly isRepeatable: (request: RpcRequest) => boolean
  /** Most attempts after the first. Default 3. */
  readonly maxRetries?: number
  /** The first wait is random within this, the next within twice that, in ms. Default 100. */
  readonly baseDelayMs?: number
  /** The longest random wait, in ms. Default 5,000. */
  readonly maxDelayMs?: number
  /** The longest `Retry-After` that is waited for, in ms; a longer one surfaces at once. Default 10,000. */
  readonly maxRetryAfterMs?: number
  /** Whether an error answer to a repeatable call is worth another attempt. Default {@link isRateLimit}. */
  readonly isTransient?: (error: RpcErrorObject) => boolean
  /**
   * Returns the result of a call if the error answer to a later attempt ("already known") shows that an earlier one arrived.
   * Called only once an attempt can have arrived. It allows to declare recognisable writes repeatable.
   */
  readonly alreadyDone?: (request: RpcRequest, error: RpcErrorObject) => RawJson | undefined
  /** Called before each wait, with its length in ms and the failure. */
  readonly onRetry?: (request: RpcRequest, delayMs: number, why: RpcError | RpcErrorObject) => void
  readonly clock?: Clock
  /** A number from 0 up to 1. */
  readonly random?: () => number
}

const passing = new Set<RpcError['code']>(['connect', 'disconnected', 'timeout', 'overloaded'])
const passingStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * Sends a call again after transient failures, with full jitter between attempts. It never waits past the context's deadline:
 * the last failure surfaces at once. A call that can have arrived is repeated only if `isRepeatable` says so.
 */
export function retry(options: RetryOptions): RpcMiddleware<RpcContext> {
  const { isRepeatable, alreadyDone, onRetry, isTransient = isRateLimit, clock = systemClock } = options
  const { maxRetries = 3, baseDelayMs = 100, maxDelayMs = 5_000, maxRetryAfterMs = 10_000 } = options
  const { random = systemRandom } = options

  /** Returns the wait before retry `n` (from 1), in ms; undefined for no retry. */
  function delayBefore(n: number, retryAfterMs: number, context: RpcContext): number | undefined {
    if (n > maxRetries || retryAfterMs > maxRetryAfterMs) return undefined
    // Jitter after `Retry-After`, too: else all rejected callers would come back at once.
    const delay = retryAfterMs + random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (n - 1))
    return clock.now() + delay < context.deadline ? delay : undefined
  }

  return (next) => async (request, context) => {
    const repeatable = isRepeatable(request)
    /** Whether an attempt can have arrived. */
    let arrived = false
    for (let n = 1; ; n++) {
      if (context.cancelled !== undefined) throw withDelivery(context.cancelled, arrived)
      let why: RpcError | RpcErrorObject
      let delay: number | undefined
      try {
        const response = await next(request, context)
        if (response.error === undefined) return counted(response, n)
        why = response.error
        const result = arrived ? alreadyDone?.(request, why) : undefined
        if (result !== undefined) return counted({ result }, n)
        delay = repeatable && isTransient(why) ? delayBefore(n, 0, context) : undefined
        if (delay === undefined) return counted(response, n)
        arrived = true
      } catch (thrown) {
        const rejected = toRpcError(thrown, 'unavailable', 'the handler failed')
        const safe = repeatable || rejected.delivery === 'not_sent'
        arrived ||= rejected.delivery !== 'not_sent'
        if (safe && passes(rejected) && context.cancelled === undefined)
          delay = delayBefore(n, rejected.retryAfterMs ?? 0, context)
        if (delay === undefined) throw withDelivery(rejected, arrived)
        why = rejected
      }
      onRetry?.(request, delay, why)
      await wait(delay, clock, context)
    }
  }
}

/**
 * Tells whether an error answer is a rate limit: -32005 (EIP-1474) or 429. Some services use the same code for a query with
 * too many results, which no retry can mend.
 */
export function isRateLimit({ code, message }: RpcErrorObject): boolean {
  return (code === -32005 || code === 429) && !/\b(?:results|range)\b/i.test(message)
}

/** Tells whether a failure is transient. For a pool that found no endpoint, its cause decides. */
function passes(why: RpcError): boolean {
  if (why.code === 'http_status') return passingStatuses.has(why.httpStatus ?? 0)
  if (why.code === 'unavailable') return why.cause instanceof RpcError && passes(why.cause)
  return passing.has(why.code)
}

/** Gives the last failure the delivery of the whole call: if any attempt can have arrived, it is unknown. */
function withDelivery(why: RpcError, arrived: boolean): RpcError {
  const delivery = arrived ? 'unknown' : 'not_sent'
  if (why.delivery === delivery) return why
  const { code, message, httpStatus, retryAfterMs, rpc } = why
  return new RpcError(code, message, { delivery, httpStatus, retryAfterMs, rpc, cause: why })
}

/** Waits `ms` milliseconds, or until the context is cancelled. */
function wait(ms: number, clock: Clock, context: RpcContext): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => {
      forget()
      resolve()
    })
    const forget = context.onCancel(() => {
      stop()
      resolve()
    })
  })
}

function counted(response: RpcResponse, attempts: number): RpcResponse {
  if (attempts === 1) return response
  const { meta } = response
  return { ...response, meta: { ...meta, attempts: (meta?.attempts ?? 1) + attempts - 1 } }
}
