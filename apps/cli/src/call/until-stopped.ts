import type { CommandIo } from '../command.ts'

/** Runs `act` with a signal that Ctrl-C, SIGTERM and the end of the reader of stdout abort. */
export async function untilStopped<T>({ process }: CommandIo, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const stopped = (): void => stop.abort()
  process.once('SIGINT', stopped).once('SIGTERM', stopped)
  // A reader such as `head` may close stdout first.
  process.stdout.once('error', stopped)
  try {
    return await act(stop.signal)
  } finally {
    process.off('SIGINT', stopped).off('SIGTERM', stopped)
    process.stdout.off('error', stopped)
  }
}
