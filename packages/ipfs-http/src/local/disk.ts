import { constants } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { IpfsError } from '../error.ts'
import type { TakeBytes } from '../unixfs/block-source.ts'

/** The end of the name of each file that is still being written. */
export const partSuffix = '.part'

/** With O_DSYNC, each write waits for the disk, which saves the call of a sync. Windows has no such flag. */
const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC = 0 } = constants

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
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC)
  try {
    for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
    if (O_DSYNC === 0) await handle.datasync()
  } finally {
    await handle.close()
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
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    if (size > mostRead) throw new IpfsError('bad_content', `expected a file of a block, came one of ${size} bytes`)
    const bytes = take(size)
    for (let at = 0; at < size;) {
      const { bytesRead } = await handle.read(bytes, at)
      if (bytesRead === 0) return bytes.subarray(0, at)
      at += bytesRead
    }
    return bytes
  } finally {
    await handle.close()
  }
}

/** Whether a file of the length of `bytes` has these bytes. Reads into `buffer`, if they fit into it. */
export async function hasBytes(file: string, bytes: Uint8Array, buffer: Uint8Array): Promise<boolean> {
  const { length } = bytes
  const read = length <= buffer.length ? buffer.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  const handle = await open(file)
  try {
    for (let at = 0; at < length;) {
      const { bytesRead } = await handle.read(read, at)
      if (bytesRead === 0) return false
      at += bytesRead
    }
    return Buffer.compare(read, bytes) === 0
  } finally {
    await handle.close()
  }
}

/** Makes the names of a folder's files survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot do this: it refuses to open a folder.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
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
