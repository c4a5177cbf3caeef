/** Time as the bench reads it. */
export interface BenchClock {
  /** Monotonic milliseconds with a nanosecond's resolution; the same scale in every thread of a machine. */
  now(): number
  /** CPU milliseconds that this process has used, in all its threads. */
  cpu(): number
  /** CPU milliseconds that this thread has used. */
  threadCpu(): number
  /** Wall-clock time. */
  date(): Date
  /** Runs `run` once after `ms` milliseconds unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}

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
  date: () => new Date(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
