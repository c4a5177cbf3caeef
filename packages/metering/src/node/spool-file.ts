import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { SpoolFile } from '../spool.ts'

/**
 * Opens the file of a spool, and makes it if it is missing, readable by its owner alone. One process at a time may have it open.
 * @throws the file system's error
 */
export async function openSpoolFile(path: string): Promise<SpoolFile> {
  let file: FileHandle
  try {
    file = await open(path, 'r+')
  } catch (why) {
    if ((why as NodeJS.ErrnoException).code !== 'ENOENT') throw why
    file = await open(path, 'wx+', 0o600)
    await syncFolder(dirname(path))
  }
  let { size } = await file.stat()
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
    close: () => file.close(),
  }
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
