/** A running service that can be stopped. */
export interface Stoppable {
  close(): Promise<void>
}

/** The part of `process` that is listened to; outside of tests, `process` itself. */
export interface ProcessEvents {
  /** Whether the channel to a launcher is open; undefined if there never was one. */
  readonly connected?: boolean
  on(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown
  off(event: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'disconnect', listener: () => void): unknown
}

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

const allSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Waits for one of `signals`, for the end of a launcher that started this process, or for `failed`; then closes the service.
 * Resolves with the exit code: 0 after an orderly stop, 1 after a failure or a second signal, which stops waiting for the
 * service.
 */
export async function runUntilStopped(
  service: Stoppable,
  events: ProcessEvents,
  failed: Promise<never> = new Promise(() => {}),
  signals: readonly StopSignal[] = allSignals,
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
  // A launcher may have ended while the service started; no event tells that later.
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
