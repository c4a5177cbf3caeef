import type { Clock } from '@wayleave/jsonrpc-core'

/** Waits for so long, in ms, or until the signal aborts. */
export function untilAborted(ms: number, signal: AbortSignal, clock: Pick<Clock, 'after'>): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, resolve)
    const end = (): void => {
      stop()
      resolve()
    }
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
