import { readdirSync, readFileSync } from 'node:fs'
import type { Clock } from '@wayleave/jsonrpc-core'
import { aliveMs } from '../shared-state/topics.ts'
import type { ProcessSample } from '../shared-state/worker-line.ts'

/** Silence after which a worker is stuck if it had the CPU, in ms. */
const longestSilenceMs = 2_000
/** The same where it had to share the CPU. */
const longestBusyMs = 6_000
/** Silence from which its use of the CPU is observed, in ms: one that is well is never looked at. */
const observedMs = 400
/** The longest time between two looks that counts, in ms: messages are read between them, however late these come. */
const longestStepMs = 500
/** The part of a core with which nothing kept a process from running. */
const wholeCore = 0.8

export interface SilenceWatch {
  /** Called with each sign of life. */
  heard(): void
  stop(): void
}

export interface SilenceOptions {
  readonly clock: Clock
  /** Reads what the process does; undefined where the system does not say. */
  readonly sample: () => ProcessSample | undefined
  /** Called once, with the reason. */
  readonly onStuck: (why: string) => void
}

/**
 * Watches for a worker that gives no sign of life, though it had the CPU for two seconds, or six passed. It had the CPU if it used a core,
 * or never waited for one: it was stopped, or sleeps. Time in which this process itself was stopped or slept does not count.
 */
export function watchSilence({ clock, sample, onStuck }: SilenceOptions): SilenceWatch {
  let silentMs = 0
  let lookedAt = clock.now()
  let first: { readonly at: number; readonly cpuMs: number } | undefined
  let hasWaited = false
  let stop = (): void => {}

  function heard(): void {
    silentMs = 0
    first = undefined
    hasWaited = false
  }

  /** Tells whether the process had the CPU since it was first looked at. */
  function hadCpu(now: number): boolean {
    const found = sample()
    if (found === undefined) return false
    first ??= { at: now, cpuMs: found.cpuMs }
    if (found.isWaiting) hasWaited = true
    return !hasWaited || found.cpuMs - first.cpuMs >= wholeCore * (now - first.at)
  }

  function look(): void {
    const now = clock.now()
    silentMs += Math.min(now - lookedAt, longestStepMs)
    lookedAt = now
    if (silentMs >= observedMs) {
      // The next look would be too late.
      const overMs = silentMs + aliveMs
      const isFree = hadCpu(now)
      if (isFree && overMs >= longestSilenceMs)
        return onStuck('it is stuck: no sign of life for 2 s, with a CPU free for it')
      if (overMs >= longestBusyMs) return onStuck('it is stuck: no sign of life for 6 s')
    }
    stop = clock.after(aliveMs, look)
  }
  stop = clock.after(aliveMs, look)
  return { heard, stop: () => stop() }
}

/** Clock ticks of Linux' process times are hundredths of a second on all machines that Node runs on. */
const tickMs = 10

/** Samples a process; undefined where the system has no `/proc` of Linux. Source: proc_pid_stat(5). */
export function sampleProcess(pid: number): ProcessSample | undefined {
  const folder = `/proc/${pid}/task`
  try {
    const threads = readdirSync(folder).map((thread) => fieldsOf(readFileSync(`${folder}/${thread}/stat`, 'utf8')))
    const [, ...main] = fieldsOf(readFileSync(`${folder}/${pid}/stat`, 'utf8'))
    // The main thread may wait for another one, such as a collector's.
    const isWaiting = threads.some(([state]) => state === 'R' || state === 'D')
    return { isWaiting, cpuMs: (Number(main[10]) + Number(main[11])) * tickMs }
  } catch {
    return undefined
  }
}

/** Splits the fields from the state on; the name before them stands in parentheses, and may hold any character. */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
