import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { LimitName, Meter } from './meter.ts'

/** A call that a limit refused. Nothing was debited for it. */
export interface Refusal {
  /** The limit with the longest wait. */
  readonly limit: LimitName
  /** Credits of its window. */
  readonly credits: number
  /** The window in seconds. */
  readonly seconds: number
  readonly method: string
  /** Credits of the call. */
  readonly price: number
  /** Milliseconds until the call is admitted if nothing else comes; infinite for a spent day or month. */
  readonly waitMs: number
  /** The end of a spent day or month, in ms since the Unix epoch. */
  readonly resetsAt: number | undefined
  /**
   * Present where the share of this process refuses a call that other processes may have left enough for. Asks the authority, and debits
   * the call, or resolves with the refusal that stands.
   */
  readonly reserve?: () => Promise<Refusal | undefined>
}

/** A refusal as a caller is told. */
export interface RefusalAnswer {
  readonly error: RpcErrorObject
  /** The value of `Retry-After`: 1 to 5 seconds. Absent where a retry does not help, since clients sleep for all of it. */
  readonly retryAfterSeconds: number | undefined
}

const longestRetryAfter = 5

/** Makes the refusal of a call by `meter`. */
export function refusalBy(
  meter: Meter,
  method: string,
  price: number,
  waitMs: number,
  now: number,
  date: number,
): Refusal {
  const { name, credits, seconds } = meter
  const resetsAt = name.window === 'second' ? undefined : date + meter.resetMs(now, date)
  return { limit: name, credits, seconds, method, price, waitMs, resetsAt }
}

/**
 * Words a refusal: -32005 with the texts and data that clients of this kind of service match on. `see` is a page for the caller.
 */
export function describeRefusal(refusal: Refusal, see?: string): RefusalAnswer {
  const { limit, credits, seconds, price, waitMs, resetsAt } = refusal
  const event = limit.scope === 'key' ? { event: keyEvent } : {}
  const link = see === undefined ? {} : { see }
  const part =
    limit.part === 'all' ? '' : limit.part === 'method' ? ` of ${printable(refusal.method)}` : ' of this address'
  if (resetsAt !== undefined) {
    const period = limit.window === 'day' ? 'daily' : 'monthly'
    const until = isoSeconds(resetsAt)
    const message = `${period} request count${part} exceeded, request rate limited; it resets at ${until}`
    return {
      error: { code: -32005, message, data: { ...link, ...event, resets_at: until } },
      retryAfterSeconds: undefined,
    }
  }
  const wait = Math.max(1, Math.ceil(waitMs / 1_000))
  const retryAfterSeconds = Math.min(wait, longestRetryAfter)
  const allowed = credits / seconds / Math.max(1, price)
  const rate = {
    // Calls of this price: clients read requests.
    allowed_rps: readable(allowed),
    backoff_seconds: retryAfterSeconds,
    // The calls of the last second, as far as the bucket tells.
    current_rps: readable(allowed + (allowed * waitMs) / 1_000),
  }
  const message = `project ID request rate exceeded${part}`
  return { error: { code: -32005, message, data: { ...link, ...event, rate } }, retryAfterSeconds }
}

/** Infura's number for limits that a user has set for a key. */
const keyEvent = -33300

function printable(method: string): string {
  return method.replaceAll(/[^\w*]/g, '').slice(0, 64)
}

/** Rounds to four significant digits. */
function readable(count: number): number {
  return Number(count.toPrecision(4))
}

function isoSeconds(date: number): string {
  // oxlint-disable-next-line no-restricted-globals -- reads no clock
  return new Date(date).toISOString().replace('.000Z', 'Z')
}
