import { unlessAborted } from '../abortable.ts'
import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'

/** Bounds the time of a call, and of each step of the backend that it waits for. */
export interface Deadline {
  /** Aborts when the caller leaves or its time is over. */
  readonly signal: AbortSignal
  /** Settles as the work does. Rejects as soon as the signal aborts, which it does if the work takes too long. */
  wait<T>(work: Promise<T>): Promise<T>
  /** Yields the steps of an iteration; each must come in time. */
  paced<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined>
  /** The error of a deadline that has passed. */
  exceeded(): IpfsError | undefined
  /** Stops the timers, and ends whatever still runs for the call, such as a stream that was opened and not begun. */
  end(): void
}

interface DeadlineOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Bound of the whole call in ms; replaces `waitMs` if set. */
  readonly totalMs: number | undefined
  /** Bound of one step in ms. */
  readonly waitMs: number
}

/** Creates the deadline of one call. Its messages are Kubo's, which clients know. */
export function createDeadline({ clock, signal, totalMs, waitMs }: DeadlineOptions): Deadline {
  const controller = new AbortController()
  let over: IpfsError | undefined
  const exceed = (): void => {
    over = new IpfsError('timeout', 'context deadline exceeded')
    controller.abort(over)
  }
  const leave = (): void => controller.abort(new IpfsError('aborted', 'the caller left'))
  const stopTotal = totalMs === undefined ? undefined : clock.after(totalMs, exceed)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()

  function wait<T>(work: Promise<T>): Promise<T> {
    const stop = totalMs === undefined ? clock.after(waitMs, exceed) : undefined
    return unlessAborted(work, controller.signal).finally(stop)
  }

  async function* paced<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
    const iterator = source[Symbol.asyncIterator]()
    let isOver = false
    try {
      for (;;) {
        const step = await wait(iterator.next())
        if (step.done === true) {
          isOver = true
          return
        }
        yield step.value
      }
    } finally {
      // A step that never ends must not keep the answer from ending.
      const left = isOver ? undefined : iterator.return?.()
      if (controller.signal.aborted) left?.catch(() => {})
      else await left
    }
  }

  return {
    signal: controller.signal,
    wait,
    paced,
    exceeded: () => over,
    end() {
      stopTotal?.()
      signal.removeEventListener('abort', leave)
      controller.abort(new IpfsError('aborted', 'the call is over'))
    },
  }
}
