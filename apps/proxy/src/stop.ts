/** A running service that can be stopped. */
export interface Stoppable {
  /** Called on `SIGTERM`, before `close`: callers are still served, and sent elsewhere. Has to resolve once `close` is called. */
  drain?(): Promise<void>
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
 * `SIGTERM` has it drain first, which a further signal cuts short.
 * Resolves with the exit code: 0 after an orderly stop, 1 after a failure, or after a further signal while it closes, which stops waiting
 * for the service.
 */
export async function runUntilStopped(
  service: Stoppable,
  events: ProcessEvents,
  failed: Promise<never> = new Promise(() => {}),
  signals: readonly StopSignal[] = allSignals,
): Promise<number> {
  let stop: () => void = () => {}
  let hurry: () => void = () => {}
  let again: () => void = () => {}
  const stopped = new Promise<number>((resolve) => (stop = () => resolve(0)))
  const hurried = new Promise<void>((resolve) => (hurry = resolve))
  const stoppedAgain = new Promise<number>((resolve) => (again = () => resolve(1)))
  let first: StopSignal | undefined
  let isDraining = false
  const listeners = signals.map((signal) => {
    const onSignal = (): void => {
      if (isDraining) hurry()
      else if (first === undefined) stop()
      else again()
      first ??= signal
    }
    events.on(signal, onSignal)
    return [signal, onSignal] as const
  })
  // A launcher may have ended while the service started; no event tells that later.
  if (events.connected === false) stop()
  else if (events.connected === true) events.on('disconnect', stop)
  try {
    const code = await Promise.race([stopped, failed.catch(() => 1)])
    if (first === 'SIGTERM' && service.drain !== undefined) {
      isDraining = true
      await Promise.race([service.drain(), hurried])
      isDraining = false
    }
    return await Promise.race([service.close().then(() => code), stoppedAgain])
  } finally {
    for (const [signal, onSignal] of listeners) events.off(signal, onSignal)
    events.off('disconnect', stop)
  }
}
