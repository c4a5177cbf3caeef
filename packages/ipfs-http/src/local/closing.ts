import { IpfsError } from '../error.ts'

/** Ends the calls that run when their owner is closed. */
export interface Closing {
  /** Runs an iteration, and aborts its signal with `signal` and with the close. @throws IpfsError `closed` */
  iterate<T>(signal: AbortSignal, start: (signal: AbortSignal) => AsyncIterable<T>): AsyncGenerator<T>
  /** Runs a call in the same way. */
  run<T>(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T>
  close(): void
}

/** `what` names the owner in errors. */
export function createClosing(what: string): Closing {
  const ends = new Set<(reason: unknown) => void>()
  const error = new IpfsError('closed', `${what} was closed`)
  let isClosed = false

  // Not AbortSignal.any: on a signal that lives as long as the process, some versions of Node keep every signal made from it.
  const enter = (signal: AbortSignal): { readonly signal: AbortSignal; readonly leave: () => void } => {
    if (isClosed) throw error
    const controller = new AbortController()
    const end = (reason: unknown): void => controller.abort(reason)
    const onAbort = (): void => end(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    ends.add(end)
    return {
      signal: controller.signal,
      leave() {
        signal.removeEventListener('abort', onAbort)
        ends.delete(end)
      },
    }
  }

  return {
    async *iterate(outer, start) {
      const { signal, leave } = enter(outer)
      try {
        yield* start(signal)
      } finally {
        leave()
      }
    },
    async run(outer, start) {
      const { signal, leave } = enter(outer)
      try {
        return await start(signal)
      } finally {
        leave()
      }
    },
    close() {
      isClosed = true
      for (const end of ends) end(error)
    },
  }
}
