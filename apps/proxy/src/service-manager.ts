import { spawn } from 'node:child_process'
import type { Surroundings } from '@wayleave/gateway'

/** Tells a service manager, such as systemd, the state of this process (sd_notify(3)). */
export interface ServiceManager {
  /** The start is over; from then on its watchdog is fed, where it has one. */
  ready(): void
  /** A reload begins; `ready` ends it. */
  reloading(): void
  stopping(): void
  close(): void
}

export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The process, as a watchdog may watch another one. */
  readonly pid: number
  readonly clock: Surroundings['clock']
  /** CLOCK_MONOTONIC in µs. */
  readonly monotonicUsec: () => bigint
  /** Called once with the system's error code where `systemd-notify` cannot be run. */
  readonly onFailure: (code: string) => void
  /** Sends the lines; default: by `systemd-notify`. */
  readonly send?: (lines: readonly string[]) => void
}

/**
 * Makes the one that `NOTIFY_SOCKET` names; one that says nothing where there is none. Node has no datagrams over Unix sockets, so
 * `systemd-notify` sends them, and the unit needs `NotifyAccess=all`.
 */
export function createServiceManager(options: ServiceManagerOptions): ServiceManager {
  const { env, pid, clock, monotonicUsec } = options
  const { NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID } = env
  if (NOTIFY_SOCKET === undefined || NOTIFY_SOCKET === '') return silent
  const send = options.send ?? createSender(NOTIFY_SOCKET, options.onFailure)
  const isWatched = WATCHDOG_PID === undefined || WATCHDOG_PID === String(pid)
  // Half of the time, as sd_watchdog_enabled(3) says.
  const feedMs = isWatched ? Math.floor(Number(WATCHDOG_USEC ?? 0) / 2_000) : 0
  let stopFeeding: (() => void) | undefined
  let isStopping = false
  const feed = (): void => {
    stopFeeding = clock.after(feedMs, () => {
      send(['WATCHDOG=1'])
      feed()
    })
  }
  return {
    ready() {
      if (isStopping) return
      send(['READY=1', 'STATUS=serving'])
      if (feedMs > 0 && stopFeeding === undefined) feed()
    },
    reloading() {
      if (isStopping) return
      send(['RELOADING=1', `MONOTONIC_USEC=${monotonicUsec()}`, 'STATUS=reading its configuration again'])
    },
    // Its watchdog is fed on: a drain may be longer than the time of that.
    stopping() {
      if (!isStopping) send(['STOPPING=1', 'STATUS=draining'])
      isStopping = true
    },
    close: () => stopFeeding?.(),
  }
}

const silent: ServiceManager = { ready() {}, reloading() {}, stopping() {}, close() {} }

/** Sends one message after the other, so that a reload does not end before it begins. One that cannot be sent is left out. */
function createSender(socket: string, onFailure: (code: string) => void): (lines: readonly string[]) => void {
  const waiting: (readonly string[])[] = []
  let isSending = false
  let hasFailed = false
  const next = (): void => {
    const lines = waiting.shift()
    isSending = lines !== undefined
    if (lines === undefined) return
    const child = spawn('systemd-notify', lines, {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', NOTIFY_SOCKET: socket },
      stdio: 'ignore',
      timeout: 5_000,
    })
    // The process ends without waiting for it.
    child.unref()
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      if (!hasFailed) onFailure(code ?? 'unknown')
      hasFailed = true
      next()
    })
    child.once('exit', next)
  }
  return (lines) => {
    waiting.push(lines)
    if (waiting.length > mostWaiting) waiting.shift()
    if (!isSending) next()
  }
}

/** Messages that wait for a manager that does not take them. */
const mostWaiting = 16
