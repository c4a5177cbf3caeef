import { existsSync, openSync, readSync } from 'node:fs'

/** Time as the bench reads it. */
export interface BenchClock {
  /** Monotonic milliseconds with a nanosecond's resolution; the same scale in every thread of a machine. */
  now(): number
  /** CPU milliseconds that this process has used, in all its threads. */
  cpu(): number
  /** CPU milliseconds that this thread has used. */
  threadCpu(): number
  /** Milliseconds that the main thread was ready and waited for a core, on Linux; 0 elsewhere. */
  coreWait(): number
  /** Wall-clock time. */
  date(): Date
  /** Runs `run` once after `ms` milliseconds unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

/** Time on a core and time in wait for one, in ns, of the thread that opened it. Source: Linux, sched-stats. */
const scheduleFile = '/proc/thread-self/schedstat'
const schedule = existsSync(scheduleFile) ? openSync(scheduleFile, 'r') : undefined
const text = Buffer.alloc(64)

/** The real clock. Only this file of the package reads real time. */
export const systemClock: BenchClock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  cpu() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
  threadCpu() {
    // Linux brings the time of a thread up to date at its ticks, 4 ms apart, and whenever that of the process is read.
    process.cpuUsage()
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  },
  coreWait() {
    if (schedule === undefined) return 0
    const length = readSync(schedule, text, 0, text.length, 0)
    return Number(text.toString('latin1', 0, length).split(' ')[1]) / 1e6
  },
  date: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
