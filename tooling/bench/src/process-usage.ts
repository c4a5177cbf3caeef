import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** USER_HZ: the unit of /proc/stat and /proc/<pid>/stat on every Linux that Node runs on. */
const nanosPerTick = 10_000_000n

/** Lists `root` and all its descendants, as they are now. */
export function processTree(root: number): readonly number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    const stat = Number.isInteger(pid) ? readStat(`/proc/${entry}/stat`) : undefined
    if (stat === undefined) continue
    const siblings = children.get(stat.parent)
    if (siblings === undefined) children.set(stat.parent, [pid])
    else siblings.push(pid)
  }
  const tree = [root]
  for (let i = 0; i < tree.length; i++) tree.push(...(children.get(tree[i]!) ?? []))
  return tree
}

/**
 * Reads the CPU time that the processes have used, in nanoseconds: the run time of each live thread, as the scheduler
 * counts it, without ended threads; or, if the kernel lacks that, user and system time in ticks of 10 ms.
 */
export function cpuNanos(pids: readonly number[]): bigint {
  let sum = 0n
  for (const pid of pids) sum += processNanos(pid)
  return sum
}

function processNanos(pid: number): bigint {
  let sum = 0n
  for (const thread of listThreads(pid)) {
    const text = readIfThere(`/proc/${pid}/task/${thread}/schedstat`)
    if (text === undefined) continue
    sum += BigInt(text.slice(0, text.indexOf(' ')))
  }
  return sum > 0n ? sum : BigInt(readStat(`/proc/${pid}/stat`)?.ticks ?? 0) * nanosPerTick
}

/** Reads the CPU time that everything on the machine has used, in nanoseconds, with what a hypervisor took away. */
export function machineNanos(): bigint {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'latin1')
    .split(/\s+/, 9)
    .map(Number)
  return BigInt(user! + nice! + system! + irq! + softirq! + steal!) * nanosPerTick
}

/** Resets the peak of resident memory, so that the next {@link peakBytes} counts from now. */
export function resetPeak(pids: readonly number[]): void {
  for (const pid of pids) writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Sums the processes' peaks of resident memory, in bytes. */
export function peakBytes(pids: readonly number[]): number {
  let sum = 0
  for (const pid of pids) {
    const match = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
    sum += Number(match?.[1] ?? 0) * 1024
  }
  return sum
}

function readStat(path: string): { readonly parent: number; readonly ticks: number } | undefined {
  const text = readIfThere(path)
  if (text === undefined) return undefined
  // The command's name is in parentheses and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
}

function listThreads(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    // The process ended since it was listed.
    return []
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It ended since it was listed.
    return undefined
  }
}
