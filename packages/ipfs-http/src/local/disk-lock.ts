import { link, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IpfsError } from '../error.ts'
import { systemCode } from '../disk-error.ts'

/** Folders that this process has open. */
const held = new Set<string>()

/**
 * Takes a folder for this process alone. The returned function gives it back. Takes over the lock of a process that ended
 * without giving it back. Does not see processes of other machines, nor of containers with other process ids.
 * @throws IpfsError `storage` while another process has it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = await realpath(folder)
  const file = join(path, 'lock')
  if (held.has(path)) throw taken(path, 'this process')
  held.add(path)
  try {
    await takeLock(path, file)
  } catch (error) {
    held.delete(path)
    throw error
  }
  return async () => {
    await rm(file, { force: true })
    held.delete(path)
  }
}

async function takeLock(path: string, file: string): Promise<void> {
  const mine = `${file}.${process.pid}`
  try {
    await writeLock(mine, `${process.pid} ${await startOf(process.pid)}\n`)
    await linkLock(path, mine, file)
  } finally {
    await rm(mine, { force: true })
  }
}

/** Writes a lock. On a full disk, it is a link that leads nowhere, whose target needs no space of its own. */
async function writeLock(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    if (systemCode(error) !== 'ENOSPC' && systemCode(error) !== 'EDQUOT') throw error
    await rm(file, { force: true })
    await symlink(text, file)
  }
}

/** Links `mine` to `file`: only one process can make a link, and it shows the whole content from the first moment on. */
async function linkLock(path: string, mine: string, file: string): Promise<void> {
  while (!(await tryLink(mine, file))) {
    const text = await readLock(file)
    if (text === undefined) continue
    const [pid = '', start = ''] = text.trim().split(' ')
    if (Number(pid) !== process.pid && (await isRunning(Number(pid), start))) throw taken(path, `process ${pid}`)
    await takeAway(path, mine, file, text)
  }
}

/** Reads a lock; undefined if it was given back. */
async function readLock(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    return readlink(file).catch(() => undefined)
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes a dead process's lock. This needs a lock for that one lock: of two processes that saw it, the second would
 * otherwise remove the lock of the first, which has the folder by then.
 */
async function takeAway(path: string, mine: string, file: string, text: string): Promise<void> {
  const claim = `${file}.${Buffer.from(text).toString('hex').slice(0, 64)}`
  await linkLock(path, mine, claim)
  try {
    if ((await readLock(file)) === text) await rm(file, { force: true })
  } finally {
    await rm(claim, { force: true })
  }
}

async function isRunning(pid: number, start: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false
  }
  // A later process may have got the same id.
  const now = await startOf(pid)
  return start === '' || now === '' || start === now
}

/** Reads the start of a process, in ticks since the machine started; '' if the system does not tell. */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the program, in parentheses, may hold blanks.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}

function taken(path: string, by: string): IpfsError {
  return new IpfsError('storage', `${path} is in use by ${by}: stop it, or give this one a folder of its own`)
}
