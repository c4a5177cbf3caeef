import { hash } from 'node:crypto'
import { constants, open } from 'node:fs/promises'

/** The bytes of a file, or why there are none. */
export type FileBytes = { readonly bytes: Buffer } | { readonly fault: string }

/** Longest file of a configuration, in bytes. */
const longest = 16 * 1024 * 1024
/** Bytes that are read at least: files of a kernel have a size of 0. */
const leastRead = 65_536

/** Reads a regular file of at most 16 MiB. Never rejects, and never waits for a writer, as a pipe would. */
export async function readBounded(path: string): Promise<FileBytes> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (stats.isDirectory()) return { fault: 'a directory' }
    if (!stats.isFile()) return { fault: 'something else' }
    if (stats.size > longest) return { fault: 'a longer one' }
    const buffer = Buffer.allocUnsafe(Math.max(stats.size, leastRead) + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length)
      if (bytesRead === 0) return { bytes: buffer.subarray(0, length) }
      length += bytesRead
    }
    return { fault: 'a longer one' }
  } catch (thrown) {
    return { fault: (thrown as NodeJS.ErrnoException).code ?? 'an error' }
  }
}

/** The SHA-256 of what was read, or why nothing was: two of one file differ if it has changed. */
export function fingerprintOf(read: FileBytes): string {
  return 'fault' in read ? read.fault : hash('sha256', read.bytes, 'hex')
}

/** The fingerprint of a file now. Never rejects. */
export async function fileFingerprint(path: string): Promise<string> {
  return fingerprintOf(await readBounded(path))
}
