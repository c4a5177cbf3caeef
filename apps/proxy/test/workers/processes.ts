import { readdir, readFile, readlink } from 'node:fs/promises'

/** Finds the processes of a primary that listen at a port. */
export async function workersOf(primary: number, port: number): Promise<readonly number[]> {
  const found: number[] = []
  for (const pid of await childrenOf(primary)) if ((await socketsOf(pid, port)).isListening) found.push(pid)
  return found
}

/** Finds the callers' ports of the connections that a process holds at its port `local`. */
export async function portsOf(pid: number, local: number): Promise<ReadonlySet<number>> {
  return (await socketsOf(pid, local)).callers
}

async function socketsOf(pid: number, local: number) {
  const inodes = new Set<string>()
  for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
    const link = await readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')
    const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1]
    if (inode !== undefined) inodes.add(inode)
  }
  const callers = new Set<number>()
  let isListening = false
  for (const line of (await readFile('/proc/net/tcp', 'latin1')).split('\n').slice(1)) {
    const [, own, remote, state, , , , , , inode] = line.trim().split(/\s+/)
    if (own?.endsWith(`:${local.toString(16).toUpperCase().padStart(4, '0')}`) === true && inodes.has(inode!)) {
      if (state === '0A') isListening = true
      else callers.add(Number.parseInt(remote!.split(':')[1]!, 16))
    }
  }
  return { callers, isListening }
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    const stat = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/stat`, 'latin1').catch(() => '') : ''
    const [state, ppid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(ppid) === parent && state !== 'Z') found.push(Number(entry))
  }
  return found
}
