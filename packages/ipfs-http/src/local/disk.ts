import { closeSync, constants, fdatasync, fstatSync, open, read, write } from 'node:fs'
import { mkdir, open as openHandle, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { IpfsError } from '../error.ts'
import type { TakeBytes } from '../unixfs/block-source.ts'

/** The end of the name of each file that is still being written. */
export const partSuffix = '.part'

/** With O_DSYNC, each write waits for the disk, which saves the call of a sync. Windows has no such flag. */
const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC = 0 } = constants

// Files are opened as numbers, without handles of Node: each step of a handle waits for a thread, behind writes that wait for the disk. The
// system knows the length of an open file, and has nothing left to write when it is closed, so neither needs a thread.
const [openFile, readFile, writeFile, datasync] = [
  promisify(open),
  promisify(read),
  promisify(write),
  promisify(fdatasync),
]

/**
 * Writes a file so that it is either whole, on the disk and under its name, or not there. Its name survives a loss of power
 * only after {@link syncFolder}.
 */
export async function writeWhole(file: string, part: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeSynced(part, bytes)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined)
    throw error
  }
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o666)
  try {
    for (let at = 0; at < bytes.length;) at += (await writeFile(file, bytes, at)).bytesWritten
    if (O_DSYNC === 0) await datasync(file)
  } finally {
    closeSync(file)
  }
}

/** Longest file that is read, in bytes. No block is larger, and Node ends the process on a read of 2 GiB. */
const mostRead = 64 * 1024 * 1024

/**
 * Reads a file that nobody changes, in one piece, into what `take` gives; `readFile` takes half a MiB at a time.
 * @throws IpfsError `bad_content` if it is too large for a block
 */
export async function readWhole(
  file: string,
  take: TakeBytes = (length) => Buffer.allocUnsafeSlow(length),
): Promise<Uint8Array> {
  const opened = await openFile(file, 'r')
  try {
    const { size } = fstatSync(opened)
    if (size > mostRead) throw new IpfsError('bad_content', `expected a file of a block, came one of ${size} bytes`)
    const bytes = take(size)
    const length = await readInto(opened, bytes)
    return length === size ? bytes : bytes.subarray(0, length)
  } finally {
    closeSync(opened)
  }
}

/** Reads from the beginning of an open file until `bytes` are full or it ends. Returns the length of what was read. */
async function readInto(opened: number, bytes: Uint8Array): Promise<number> {
  let at = 0
  while (at < bytes.length) {
    const { bytesRead } = await readFile(opened, bytes, at, bytes.length - at, null)
    if (bytesRead === 0) return at
    at += bytesRead
  }
  return at
}

/** Whether a file of the length of `bytes` has these bytes. Reads into `buffer`, if they fit into it. */
export async function hasBytes(file: string, bytes: Uint8Array, buffer: Uint8Array): Promise<boolean> {
  const { length } = bytes
  const found = length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  const opened = await openFile(file, 'r')
  try {
    return (await readInto(opened, found)) === length && Buffer.compare(found, bytes) === 0
  } finally {
    closeSync(opened)
  }
}

/** Makes the names of a folder's files survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot do this: it refuses to open a folder.
  if (process.platform === 'win32') return
  const handle = await openHandle(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder, and tells whether it is new. */
export async function makeFolder(folder: string): Promise<boolean> {
  return (await mkdir(folder, { recursive: true })) !== undefined
}

/** Removes the half written files that a killed process has left in a folder. */
export async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(partSuffix)) await rm(join(folder, name), { force: true })
  }
}
