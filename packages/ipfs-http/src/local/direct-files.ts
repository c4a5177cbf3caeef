import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { systemCode } from '../disk-error.ts'
import { createTurns } from './turns.ts'
import type { TakeBytes } from '../unixfs/block-source.ts'
import { freshBytes } from '../unixfs/buffer-pool.ts'

/** Reads and writes whole files past the cache of the system, for content that gains nothing there and costs its pages. */
export interface DirectFiles {
  /** Writes the new file `path`, synced. False: nothing was written; write it the usual way. */
  write(path: string, bytes: Uint8Array): Promise<boolean>
  /** Reads the whole file, into what `take` gives. Undefined: it was not read; read it the usual way. */
  read(path: string, take?: TakeBytes): Promise<Uint8Array | undefined>
}

/** The alignment in memory, in length and in the file, in bytes: no disk has larger sectors. */
const sector = 4096

/** Shortest file that is written directly: the cache holds many small ones, and the disk is no faster with one. */
const leastWritten = 64 * 1024

/** Longest file that is moved directly: the largest block of the network, and more. */
const mostBytes = 2 * 1024 * 1024 + 64 * 1024

/** Files that are moved at a time: as many as Node moves, unless it is configured otherwise. */
const mostAtOnce = 4

/** Direct files need O_DIRECT, which Linux has, and O_DSYNC. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DSYNC = 0, O_DIRECT = 0 } = constants

/** Codes of file systems that have no direct files, or want them aligned otherwise. */
const refusals: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP']

/**
 * Copies content through memory of its own, which is aligned as direct files need it. Once the file system has refused to
 * write a direct file, no other is tried. `openFile` is for tests.
 */
export function createDirectFiles(openFile: typeof open = open): DirectFiles {
  // Node without a compiler (`--jitless`) has no WebAssembly.
  let works = O_DIRECT !== 0 && O_DSYNC !== 0 && typeof WebAssembly === 'object'
  let memory: Uint8Array | undefined
  const takeTurn = createTurns(mostAtOnce)

  const borrow = <T>(use: (buffer: Uint8Array) => Promise<T>): Promise<T> =>
    takeTurn(async (slot) => {
      // The memory of WebAssembly begins at a page. Nothing says so of any other memory of JavaScript.
      memory ??= new Uint8Array(new WebAssembly.Memory({ initial: (mostAtOnce * mostBytes) / 65_536 }).buffer)
      return use(memory.subarray(slot * mostBytes, (slot + 1) * mostBytes))
    })

  return {
    async write(path, bytes) {
      if (!works || bytes.length < leastWritten || bytes.length > mostBytes) return false
      try {
        await borrow((buffer) => writeAligned(openFile, path, bytes, buffer))
        return true
      } catch (error) {
        if (!isRefusal(error)) throw error
        works = false
        await rm(path, { force: true })
        return false
      }
    },
    async read(path, take = freshBytes) {
      if (!works) return undefined
      try {
        return await borrow((buffer) => readAligned(openFile, path, buffer, take))
      } catch (error) {
        // Folders are refused too, which tells nothing about files.
        if (!isRefusal(error)) throw error
        return undefined
      }
    },
  }
}

/** Whether direct files are refused, or the process may not have the memory for them (`ulimit -v`). */
function isRefusal(error: unknown): boolean {
  return error instanceof RangeError || refusals.includes(systemCode(error))
}

async function writeAligned(openFile: typeof open, path: string, bytes: Uint8Array, buffer: Uint8Array): Promise<void> {
  const length = Math.ceil(bytes.length / sector) * sector
  buffer.set(bytes)
  buffer.fill(0, bytes.length, length)
  const isWhole = length === bytes.length
  const handle = await openFile(path, O_WRONLY | O_CREAT | O_EXCL | O_DIRECT | (isWhole ? O_DSYNC : 0))
  try {
    await writeAll(handle, buffer.subarray(0, length))
    if (isWhole) return
    await handle.truncate(bytes.length)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

async function readAligned(
  openFile: typeof open,
  path: string,
  buffer: Uint8Array,
  take: TakeBytes,
): Promise<Uint8Array | undefined> {
  const handle = await openFile(path, O_RDONLY | O_DIRECT)
  try {
    const [{ size }, { bytesRead }] = await Promise.all([handle.stat(), handle.read(buffer)])
    // Only a part came: reading it the usual way will tell why.
    if (bytesRead !== size) return undefined
    const bytes = take(size)
    bytes.set(buffer.subarray(0, size))
    return bytes
  } finally {
    await handle.close()
  }
}

/** Writes all of `bytes` at the position of the file. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
}

/** Tells the first read of a file from the next ones, which the cache of the system serves better. */
interface SeenKeys {
  /** Whether `key` was seen before; it is from now on. */
  see(key: string): boolean
}

/** Remembers the `most` keys that were seen last. */
export function createSeenKeys(most: number): SeenKeys {
  /** In the order in which they were seen. */
  const keys = new Set<string>()
  return {
    see(key) {
      const wasSeen = keys.delete(key)
      keys.add(key)
      const [oldest] = keys.size > most ? keys : []
      if (oldest !== undefined) keys.delete(oldest)
      return wasSeen
    },
  }
}
