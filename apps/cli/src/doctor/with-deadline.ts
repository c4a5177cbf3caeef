import { systemClock } from '@wayleave/jsonrpc-core'

/** Runs `act` with a signal that aborts after `ms`, or when `signal` does. */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const stop = systemClock.after(ms, () => late.abort())
  try {
    return await act(AbortSignal.any([signal, late.signal]))
  } finally {
    stop()
  }
}
