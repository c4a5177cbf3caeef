import { unlessAborted } from '../abortable.ts'
import type { Clock } from '../clock.ts'
import { IpfsError } from '../error.ts'

/** How long a call may take, and how long it may wait for a step of the backend. */
export interface Deadline {
  /** Aborts when the caller leaves or time is over. */
  readonly signal: AbortSignal
  /** What the work gives. Rejects as soon as the signal aborts, which it does where the work takes too long. */
  wait<T>(work: Promise<T>): Promise<T>
  /** The steps of an iteration, each waited for. */
  paced<T>(source: AsyncIterable<T>): AsyncGenerator<T, void, undefined>
  /** The error that stands for a deadline that is over. */
  exceeded(): IpfsError | undefined
  /** Forgets its timers, and ends what still runs for the call: a stream that was asked for and not begun. */
  end(): void
}

export interface DeadlineOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** For the whole call; it then takes the place of `waitMs`. */
  readonly totalMs: number | undefined
  /** For one step. */
  readonly waitMs: number
}

/** Makes the deadline of one call. Its words are Kubo's, which clients know. */
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
