import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'

/** A process that listens on a port. */
export interface PortHolder {
  readonly pid: number
  /** Its program, such as `nginx`; for Node the script: `node wayleave`. */
  readonly program: string
}

/** The state of a listening socket in `/proc/net/tcp`. */
const listening = '0A'

/** Finds the process that listens on a TCP port of this machine. Undefined where it belongs to another user, or without Linux' `/proc`. */
export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  const inodes = new Set(
    tables
      .flatMap((table) => table.split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(`:${hex}`) && fields[3] === listening)
      .map((fields) => `socket:[${fields[9]}]`),
  )
  if (inodes.size === 0) return undefined
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`
    const links = await Promise.all(
      (await readdir(folder).catch(() => [])).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')),
    )
    if (links.some((link) => inodes.has(link))) return { pid: Number(pid), program: await programOf(pid) }
  }
  return undefined
}

/** Names the program of a process, without its arguments, which may hold secrets. */
async function programOf(pid: string): Promise<string> {
  const [command = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')
  const name = basename(command)
  const script =
    name === 'node' ? args.find((arg) => /\.[cm]?[jt]s$/.test(arg) || basename(arg) === 'wayleave') : undefined
  return script === undefined ? name : `${name} ${basename(script)}`
}
