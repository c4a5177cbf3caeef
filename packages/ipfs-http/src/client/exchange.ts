import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'

/** One request and its answer: who may take how long, and why it ended. */
export interface Exchange {
  readonly signal: AbortSignal
  /** The caller has to act, not the host: the clock stands still until `hostActs`. */
  callerActs(part: 'upload' | 'download'): void
  hostActs(part: 'upload' | 'download'): void
  /** Ends it with an error of the caller's own: what it uploads could not be read. */
  fail(thrown: unknown): void
  /** Why it ended: the caller's reasons before what they made the platform throw. */
  failure(otherwise: () => unknown): unknown
  /** Frees its timer and, where something still runs, ends that. */
  end(): void
}

/** The error for the signal of a caller that has aborted. */
export function abortedBy({ reason }: AbortSignal): IpfsError {
  return new IpfsError('aborted', 'the caller aborted the call', { cause: reason })
}

/** @throws IpfsError `aborted` where the signal is already */
export function beginExchange(clock: Clock, timeoutMs: number, outer: AbortSignal | undefined): Exchange {
  if (outer?.aborted) throw abortedBy(outer)
  const controller = new AbortController()
  const waiting = new Set<string>()
  let why: { readonly thrown: unknown } | undefined
  let stop = (): void => {}

  const fail = (thrown: unknown): void => {
    why ??= { thrown }
    controller.abort()
  }
  const onAbort = (): void => fail(abortedBy(outer!))
  outer?.addEventListener('abort', onAbort, { once: true })

  function watch(): void {
    stop()
    stop = clock.after(timeoutMs, () =>
      fail(new IpfsError('timeout', `no byte moved for ${timeoutMs} ms: retry, or raise timeoutMs`)),
    )
  }

  watch()
  return {
    signal: controller.signal,
    callerActs(part) {
      waiting.add(part)
      stop()
    },
    hostActs(part) {
      waiting.delete(part)
      if (waiting.size === 0 && !controller.signal.aborted) watch()
    },
    fail,
    failure: (otherwise) => (why === undefined ? otherwise() : why.thrown),
    end() {
      stop()
      outer?.removeEventListener('abort', onAbort)
      controller.abort()
    },
  }
}
