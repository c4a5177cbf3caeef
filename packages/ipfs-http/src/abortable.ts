import { IpfsError } from './error.ts'

/** @throws IpfsError `aborted`, or the reason of the signal where that is an IpfsError */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal)
}

function abortError({ reason }: AbortSignal): IpfsError {
  if (reason instanceof IpfsError) return reason
  return new IpfsError('aborted', 'the call was ended by its caller', { cause: reason })
}

/**
 * Settles as `work` does, or rejects as soon as `signal` aborts. The work itself goes on, and may have other callers.
 * Takes no shared promise for the abort: `Promise.race` against one would remember every step of a long upload.
 * @throws IpfsError the one of `errorOf`
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  errorOf: (signal: AbortSignal) => IpfsError = abortError,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(errorOf(signal))
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/**
 * Yields the values of `source` until `signal` aborts, even while it waits for one. The source is then closed, but not
 * waited for.
 * @throws IpfsError `aborted`
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      throwIfAborted(signal)
      const result = await unlessAborted(iterator.next(), signal)
      if (result.done === true) {
        isOver = true
        return
      }
      yield result.value
    }
  } finally {
    // A source that hangs would not answer this either, and nobody needs an error that it throws now.
    if (!isOver) iterator.return?.().catch(() => undefined)
  }
}
