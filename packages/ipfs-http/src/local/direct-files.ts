import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { systemCode } from '../disk-error.ts'
import { createTurns } from './turns.ts'
import { freshBytes } from '../unixfs/buffer-pool.ts'

/** Moves whole files between memory and the disk past the cache of the system, where it gains nothing and costs its pages. */
export interface DirectFiles {
  /** Writes the new file `path`, synced. False: it was not done, and is not there; write it the usual way. */
  write(path: string, bytes: Uint8Array): Promise<boolean>
  /** The whole file. Undefined: it was not done; read it the usual way. */
  read(path: string): Promise<Uint8Array | undefined>
}

/** Of memory, length and place in the file: no disk has larger sectors. */
const sector = 4096

/** The cache holds many of the small ones, and the disk is not faster with one. */
const leastWritten = 64 * 1024

/** The largest block of the network, and more. */
const mostBytes = 2 * 1024 * 1024 + 64 * 1024

/** As many as Node moves at a time, unless it is told otherwise. */
const mostAtOnce = 4

/** Only where there is O_DIRECT, as on Linux, and O_DSYNC. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DSYNC = 0, O_DIRECT = 0 } = constants

/** What file systems answer that have no direct files, or want them aligned otherwise. */
const refusals: readonly (string | undefined)[] = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP']

/**
 * Copies content through memory of its own, which is aligned as direct files ask for. Where the file system refuses to
 * write one, no other is tried. `openFile`: for tests.
 */
export function createDirectFiles(openFile: typeof open = open): DirectFiles {
  // Where Node runs without a compiler (`--jitless`), there is no WebAssembly.
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
    async read(path) {
      if (!works) return undefined
      try {
        return await borrow((buffer) => readAligned(openFile, path, buffer))
      } catch (error) {
        // Folders are refused, too: that says nothing of files.
        if (!isRefusal(error)) throw error
        return undefined
      }
    },
  }
}

/** Also where the process may have no such memory (`ulimit -v`). */
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

async function readAligned(openFile: typeof open, path: string, buffer: Uint8Array): Promise<Uint8Array | undefined> {
  const handle = await openFile(path, O_RDONLY | O_DIRECT)
  try {
    const [{ size }, { bytesRead }] = await Promise.all([handle.stat(), handle.read(buffer)])
    // A part only: whoever reads it the usual way finds out why.
    if (bytesRead !== size) return undefined
    const bytes = freshBytes(size)
    bytes.set(buffer.subarray(0, size))
    return bytes
  } finally {
    await handle.close()
  }
}

/** Writes all of `bytes` from where the file is. */
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
