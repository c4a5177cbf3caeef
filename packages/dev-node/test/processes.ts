import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

// A small Linux has no `ps`, but always /proc.
const hasProc = process.platform === 'linux'

/** The command line of a process; empty where there is none. */
export function argsOf(pid: number): string {
  return hasProc ? readProc(pid, 'cmdline').replaceAll('\0', ' ') : ps('-o', 'args=', '-p', String(pid))
}

/** The process group of a process. */
export function groupOf(pid: number): number {
  // After the name, which may hold anything, come the state, the parent and the group.
  if (hasProc)
    return Number(
      readProc(pid, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ')[2],
    )
  return Number(ps('-o', 'pgid=', '-p', String(pid)))
}

/** Whether a process runs whose arguments hold `text`. */
export function runningWith(text: string): boolean {
  if (!hasProc) return ps('-eo', 'args=').includes(text)
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && argsOf(Number(name)).includes(text))
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

function ps(...args: readonly string[]): string {
  return spawnSync('ps', args, { encoding: 'utf8' }).stdout
}
