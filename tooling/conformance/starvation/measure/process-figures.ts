import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Resident memory of a process in MB, from /proc; 0 once it has ended. */
export function residentMegabytes(pid: number): number {
  return statusKilobytes(pid, 'VmRSS')
}

/** The most resident memory since {@link resetPeak}, in MB. */
export function peakMegabytes(pid: number): number {
  return statusKilobytes(pid, 'VmHWM')
}

/** Lets {@link peakMegabytes} count from now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function statusKilobytes(pid: number, member: string): number {
  const match = new RegExp(`^${member}:\\s+(\\d+) kB$`, 'm').exec(readOr(`/proc/${pid}/status`, ''))
  return (Number(match?.[1] ?? 0) * 1024) / 1e6
}

/** Time of a process in ms, as the scheduler counts it. */
export interface CoreTime {
  /** On a core: the sum of its live threads. */
  readonly ran: number
  /** Ready to run while others had the cores: its main thread. */
  readonly waited: number
}

/** Reads how long a process ran and waited; zeros once it has ended. */
export function coreTime(pid: number): CoreTime {
  let ran = 0
  let waited = 0
  for (const thread of threadsOf(pid)) {
    const [run, wait] = readOr(`/proc/${pid}/task/${thread}/schedstat`, '0 0').split(' ').map(Number)
    ran += run! / 1e6
    if (thread === String(pid)) waited = wait! / 1e6
  }
  return { ran, waited }
}

/** Time that all cores of the machine were busy since it started, in ms; what a hypervisor took counts. */
export function machineBusyMs(): number {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'latin1').split(/\s+/, 9)
  return [user, nice, system, irq, softirq, steal].reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    // It has ended.
    return []
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It has ended.
    return otherwise
  }
}
