import type { Clock } from '@wayleave/jsonrpc-core'

/** Calls `run` once: after `ms`, or when the signal aborts, or at once if it has aborted. The returned function calls it off. */
export function afterOrAbort(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  run: (isAborted: boolean) => void,
): () => void {
  const finish = (): void => {
    stop()
    run(signal?.aborted === true)
  }
  const stopTimer = clock.after(ms, finish)
  const stop = (): void => {
    stopTimer()
    signal?.removeEventListener('abort', finish)
  }
  signal?.addEventListener('abort', finish, { once: true })
  if (signal?.aborted === true) finish()
  return stop
}
