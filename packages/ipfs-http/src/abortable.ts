import { IpfsError } from './error.ts'
import { throwIfAborted } from './unixfs/load-block.ts'

/**
 * What `source` yields, until `signal` ends it, even in the middle of its waiting. The source is closed then, and not
 * waited for.
 */
export async function* abortable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const result = await next(iterator, signal)
      if (result.done === true) {
        isOver = true
        return
      }
      yield result.value
    }
  } finally {
    // A source that hangs does not answer this either; what it throws now concerns nobody.
    if (!isOver) iterator.return?.().catch(() => undefined)
  }
}

function next<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  throwIfAborted(signal)
  // Not Promise.race against one promise for all: that one would remember every step of a long upload.
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      try {
        throwIfAborted(signal)
      } catch (error) {
        reject(error instanceof Error ? error : new IpfsError('aborted', 'the call was ended by its caller'))
      }
    }
    signal.addEventListener('abort', onAbort, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort))
  })
}
