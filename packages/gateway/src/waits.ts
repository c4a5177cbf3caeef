import type { Clock } from '@wayleave/jsonrpc-core'

type Timer = Pick<Clock, 'after'>

/** Waits for so long, in ms, or until the signal aborts. */
export function pause(ms: number, clock: Timer, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stop()
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const stop = clock.after(ms, end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
  })
}

/** Resolves with true once the work is done, with false after so many ms; rejects where the work does before. */
export function isDoneWithin(ms: number, work: Promise<unknown>, clock: Timer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => resolve(false))
    work.finally(stop).then(() => resolve(true), reject)
  })
}

/** Settles as the work does, or rejects with the error of `late` after so many ms. */
export function inTime<T>(ms: number, work: Promise<T>, clock: Timer, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => reject(late()))
    void work.then(resolve, reject).finally(stop)
  })
}

/**
 * Runs work after `firstMs`, and again `everyMs` after each run has ended. The function returned ends that, and resolves when the run at hand
 * is over.
 */
export function repeat(
  work: () => Promise<void> | void,
  everyMs: number,
  clock: Timer,
  firstMs: number = everyMs,
): () => Promise<void> {
  let isOver = false
  let running: Promise<void> | undefined
  let stop = clock.after(firstMs, run)

  function run(): void {
    running = work()?.finally(next)
    if (running === undefined) next()
  }

  function next(): void {
    running = undefined
    if (!isOver) stop = clock.after(everyMs, run)
  }

  return async () => {
    isOver = true
    stop()
    await running
  }
}
