import type { Clock } from '@wayleave/jsonrpc-core'

/** Waits for so long, in ms, but no longer than for `work`, nor once `signal` has aborted. */
export function atMost(
  ms: number,
  signal: AbortSignal,
  clock: Pick<Clock, 'after'>,
  work?: Promise<unknown>,
): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, done)
    function done(): void {
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    void work?.finally(done)
  })
}
