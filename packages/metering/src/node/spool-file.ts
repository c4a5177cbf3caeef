import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SpoolFile } from '../spool.ts'
import { lockFile } from './lock-file.ts'

/**
 * Opens the file of a spool, and makes it if it is missing, readable by its owner alone. It is locked through `<path>.lock` until it is
 * closed or the process ends, however it ends.
 * @throws MeteringError `in_use` where somebody has it open; the file system's error
 */
export async function openSpoolFile(path: string): Promise<SpoolFile> {
  const unlock = await lockFile(path)
  let file: FileHandle
  let size: number
  try {
    file = await openOrMake(path)
    size = (await file.stat()).size
  } catch (why) {
    unlock()
    throw why
  }
  return {
    get size() {
      return size
    },
    async read(offset, length) {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)))
      let filled = 0
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
    async append(bytes) {
      let written = 0
      while (written < bytes.length) {
        const { bytesWritten } = await file.write(bytes, written, bytes.length - written, size)
        written += bytesWritten
        size += bytesWritten
      }
      await file.datasync()
    },
    async truncate(to) {
      await file.truncate(to)
      size = to
      await file.datasync()
    },
    async close() {
      try {
        await file.close()
      } finally {
        unlock()
      }
    },
  }
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+')
  } catch (why) {
    if ((why as NodeJS.ErrnoException).code !== 'ENOENT') throw why
  }
  const file = await open(path, 'wx+', 0o600)
  await syncFolder(dirname(path))
  return file
}

/** Makes the new name survive a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
