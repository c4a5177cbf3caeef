import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'

/** One request and its answer: the time that each side may take, and the reason of the end. */
export interface Exchange {
  readonly signal: AbortSignal
  /** The caller has to act now, not the host: no time runs until `hostActs`. */
  callerActs(part: 'upload' | 'download'): void
  /** The host has to act now, within the time limit. */
  hostActs(part: 'upload' | 'download'): void
  /** Ends the exchange after `ms` milliseconds, whatever moves by then. Replaces the limit before. */
  endWithin(ms: number): void
  /** Ends the exchange with an error of the caller's own, whose upload could not be read. */
  fail(thrown: unknown): void
  /** The error of the end. The reason of the caller or the timer comes before the error that it made the platform throw. */
  failure(otherwise: () => unknown): unknown
  /** Frees the timer, and ends whatever still runs. */
  end(): void
}

/** The error for the signal of a caller that has aborted. */
function abortedBy({ reason }: AbortSignal): IpfsError {
  return reason instanceof IpfsError
    ? reason
    : new IpfsError('aborted', 'the caller aborted the call', { cause: reason })
}

/** Begins an exchange with the host at `origin`, whose first turn is the host's. @throws IpfsError `aborted` if `outer` has aborted already */
export function beginExchange(
  clock: Clock,
  timeoutMs: number,
  outer: AbortSignal | undefined,
  origin: string,
): Exchange {
  if (outer?.aborted) throw abortedBy(outer)
  const controller = new AbortController()
  const waiting = new Set<string>()
  let why: { readonly thrown: unknown } | undefined
  let stop = (): void => {}
  let stopTotal = (): void => {}

  const fail = (thrown: unknown): void => {
    why ??= { thrown }
    controller.abort()
  }
  const onAbort = (): void => fail(abortedBy(outer!))
  outer?.addEventListener('abort', onAbort, { once: true })

  function watch(): void {
    stop()
    stop = clock.after(timeoutMs, () =>
      fail(new IpfsError('timeout', `${origin} moved no byte for ${timeoutMs} ms: retry, or raise timeoutMs`)),
    )
  }

  watch()
  return {
    signal: controller.signal,
    callerActs(part) {
      waiting.add(part)
      stop()
    },
    /** The host has to act now, within the time limit. */
    hostActs(part) {
      waiting.delete(part)
      if (waiting.size === 0 && !controller.signal.aborted) watch()
    },
    endWithin(ms) {
      stopTotal()
      if (ms < Infinity)
        stopTotal = clock.after(ms, () =>
          fail(new IpfsError('timeout', `${origin} is too slow: retry, or raise deadlineMs`)),
        )
    },
    fail,
    failure: (otherwise) => (why === undefined ? otherwise() : why.thrown),
    end() {
      stop()
      stopTotal()
      outer?.removeEventListener('abort', onAbort)
      controller.abort()
    },
  }
}
