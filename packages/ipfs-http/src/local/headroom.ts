import { statfs } from 'node:fs/promises'
import { diskFull } from '../disk-error.ts'

/** Space of a disk that blocks leave free, so that pins can be removed and rows be written while nothing can be added. */
export interface Headroom {
  /** Reads the bytes that are free, and whether only the headroom is. */
  look(): Promise<{ readonly freeBytes: number; readonly isFull: boolean }>
  /** Takes space for a new block of that many bytes. @throws IpfsError `storage` where only the headroom is left */
  take(bytes: number): Promise<void>
}

/** The most that is left free, in bytes, and the least share of a disk: a small one keeps less. */
const mostKept = 64 * 1024 * 1024
const shareKept = 1 / 16
/** Bytes that are taken after a look at the disk without another one. */
const lookEvery = 4 * 1024 * 1024

/** Keeps the headroom of the disk on which `folder` is. `read` is for tests. */
export function createHeadroom(folder: string, read: typeof statfs = statfs): Headroom {
  let granted = 0

  async function look(): Promise<{ readonly freeBytes: number; readonly isFull: boolean; readonly room: number }> {
    const { blocks, bavail, bsize } = await read(folder)
    const freeBytes = bavail * bsize
    // A file system that counts no blocks has no end to tell.
    const kept = blocks === 0 ? -Infinity : Math.min(mostKept, blocks * bsize * shareKept)
    return { freeBytes, isFull: freeBytes <= kept, room: freeBytes - kept }
  }

  return {
    look,
    async take(bytes) {
      if (granted < bytes) {
        const { room } = await look()
        if (room <= bytes) throw diskFull()
        granted = Math.min(lookEvery + bytes, room)
      }
      granted -= bytes
    },
  }
}
