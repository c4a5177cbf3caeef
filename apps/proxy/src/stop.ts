/** What a running service is asked when the process should end. */
export interface Stoppable {
  close(): Promise<void>
}

/** What of `process` is listened to; `process` itself in real life. */
export interface ProcessEvents {
  /** Whether the channel to a launcher is open; undefined where there never was one. */
  readonly connected?: boolean
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown
  off(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Waits for a signal (or, where a launcher started this process, for the launcher's end), or for `failed`; then closes
 * the service. Resolves with the exit code: 0 after an orderly stop, 1 after a failure or a second signal, which does not
 * wait for the service any more.
 */
export async function runUntilStopped(
  service: Stoppable,
  events: ProcessEvents,
  failed: Promise<never> = new Promise(() => {}),
): Promise<number> {
  let stop: () => void = () => {}
  let again: () => void = () => {}
  const stopped = new Promise<number>((resolve) => (stop = () => resolve(0)))
  const stoppedAgain = new Promise<number>((resolve) => (again = () => resolve(1)))
  let asked = false
  const onSignal = (): void => {
    if (asked) again()
    asked = true
    stop()
  }
  for (const signal of signals) events.on(signal, onSignal)
  // A launcher that ended while the service started is told of no more.
  if (events.connected === false) stop()
  else if (events.connected === true) events.on('disconnect', stop)
  try {
    const code = await Promise.race([stopped, failed.catch(() => 1)])
    return await Promise.race([service.close().then(() => code), stoppedAgain])
  } finally {
    for (const signal of signals) events.off(signal, onSignal)
    events.off('disconnect', stop)
  }
}
