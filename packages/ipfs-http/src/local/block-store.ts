import { access, lstat, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { base32upper } from 'multiformats/bases/base32'
import type { CID } from 'multiformats/cid'
import { decode as decodeDigest } from 'multiformats/hashes/digest'
import { throwIfAborted } from '../abortable.ts'
import { diskError, systemCode } from '../disk-error.ts'
import { IpfsError } from '../error.ts'
import type { BlockSink, BlockSource, TakeBytes } from '../unixfs/block-source.ts'
import { createTurns } from './turns.ts'
import { createHeadroom, type Headroom } from './headroom.ts'
import { hasBytes, makeFolder, partSuffix, readWhole, removeParts, syncFolder, writeWhole } from './disk.ts'
import { createNameSync } from './name-sync.ts'
import { isIdentity } from '../unixfs/identity.ts'
import { mostBlockBytes } from '../unixfs/put-block.ts'
import { verifyBlock } from '../unixfs/multihash.ts'

/** A block on the disk. */
export interface StoredBlock {
  /** The whole multihash, as in its CID. */
  readonly multihash: Uint8Array
  readonly folder: string
  readonly file: string
}

/** Blocks as files, each named by its multihash: `blocks/2A/CIQ…2A.data`. */
export interface BlockStore extends BlockSource, BlockSink {
  /**
   * Writes a block. It is whole and under its name when this resolves; after {@link sync} it also survives a loss of power. `onNew`
   * is called before a block is written that was not here, and may throw to refuse it.
   */
  put(cid: CID, bytes: Uint8Array, onNew?: () => void): Promise<void>
  readonly headroom: Headroom
  /** Makes everything that was put until now survive a loss of power. */
  sync(): Promise<void>
  /** Yields all blocks, and some of those that come or go meanwhile. */
  list(signal: AbortSignal): AsyncIterable<StoredBlock>
  /**
   * Removes a block, and returns the bytes that this freed; undefined if the block is being written or removed. A `put` that comes meanwhile
   * waits, and writes it again.
   */
  remove(block: StoredBlock): Promise<number | undefined>
  /** Refuses every later call as `closed`, and resolves when nothing is being written any more. */
  close(): Promise<void>
}

/**
 * Most files that are written at a time, by all uploads together: beside readers, whose steps wait for the same four threads behind writes that
 * wait for the disk, and without any.
 */
const mostWritesBesideReads = 8
const mostWrites = 32
/** Most files that are compared at a time: as many as Node reads at once. */
const mostComparisons = 4

/** Bytes that the smallest file takes on a disk. */
const smallestFile = 4096

/**
 * Opens the folder `dir` as a store, and removes files that a killed process has left half written. A block is written
 * to another name, synced and renamed, so that a file under its own name is whole. It is nevertheless hashed each time it is
 * read (0.8 ms a MiB), since disks forget.
 * @throws IpfsError `storage`
 */
export async function openBlockStore(dir: string): Promise<BlockStore> {
  const writing = new Map<string, Promise<void>>()
  const removing = new Map<string, Promise<number>>()
  const known = new Set<string>()
  /** Blocks that were found broken. The next `put` replaces them. */
  const broken = new Set<string>()
  const takeTurn = createTurns(() => (reading > 0 ? mostWritesBesideReads : mostWrites))
  const takeComparison = createTurns(mostComparisons)
  /** Memory for files that are compared, one for each comparison. */
  const buffers: Uint8Array[] = []
  let parts = 0
  /** Blocks that are being read. */
  let reading = 0
  let isClosed = false

  const requireOpen = (): void => {
    if (isClosed) throw new IpfsError('closed', 'the local store was closed')
  }
  const names = createNameSync(dir, (work) => {
    requireOpen()
    return refuse('the store cannot be synced', work)
  })
  const headroom = createHeadroom(dir)

  await refuse('the store cannot be opened', async () => {
    await makeFolder(dir)
    for (const entry of await readdir(dir, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      known.add(entry.name)
      await removeParts(join(dir, entry.name))
      await syncFolder(join(dir, entry.name))
    }
    await syncFolder(dir)
  })

  /** Whether a file has these bytes. One that cannot be read has not. */
  const holds = (file: string, bytes: Uint8Array): Promise<boolean> =>
    takeComparison(async () => {
      const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(mostBlockBytes)
      try {
        return await hasBytes(file, bytes, buffer)
      } catch (error) {
        if (isBroken(error) || systemCode(error) === 'ENOENT') return false
        throw error
      } finally {
        buffers.push(buffer)
      }
    })
  const write = async (key: string, folder: string, bytes: Uint8Array, onNew?: () => void): Promise<void> => {
    const file = join(dir, folder, key)
    // A block that could not be removed is still here; otherwise it is written again.
    await removing.get(key)?.catch(() => undefined)
    if (!known.has(folder)) {
      await makeFolder(join(dir, folder))
      known.add(folder)
      names.add('')
    }
    const size = await sizeOf(file)
    if (!broken.has(key) && size === bytes.length && (await holds(file, bytes))) return
    await headroom.take(Math.max(bytes.length, smallestFile))
    if (size === undefined) onNew?.()
    await writeWhole(file, `${file}.${parts++}${partSuffix}`, bytes)
    broken.delete(key)
    names.add(folder)
  }

  return {
    async get(cid, signal, take) {
      throwIfAborted(signal)
      requireOpen()
      if (isIdentity(cid)) return cid.multihash.digest
      const { folder, file: key } = blockPath(cid)
      // A block read now would be gone a moment later.
      await removing.get(key)?.catch(() => undefined)
      reading++
      try {
        const bytes = await readBlock(join(dir, folder, key), cid, signal, take)
        await verifyBlock(cid, bytes)
        // The block was replaced: while it was read, or by an administrator.
        broken.delete(key)
        return bytes
      } catch (cause) {
        if (!isBroken(cause)) throw diskError(cause, `block ${cid} cannot be read`)
        broken.add(key)
        throw new IpfsError('bad_content', `block ${cid} is broken on the disk: add its content again`, { cause })
      } finally {
        reading--
      }
    },
    async has(cid) {
      if (isIdentity(cid)) return true
      const { folder, file: key } = blockPath(cid)
      if (broken.has(key) || removing.has(key)) return false
      return access(join(dir, folder, key)).then(
        () => true,
        () => false,
      )
    },
    async put(cid, bytes, onNew) {
      requireOpen()
      if (isIdentity(cid)) return
      const { folder, file: key } = blockPath(cid)
      for (let before = writing.get(key); before !== undefined; before = writing.get(key)) {
        const isDone = await before.then(
          () => true,
          () => false,
        )
        if (isDone) return
        // The block may have been refused to its writer alone.
        requireOpen()
      }
      const now = takeTurn(() =>
        refuse(`block ${cid} cannot be written`, () => write(key, folder, bytes, onNew)),
      ).finally(() => {
        writing.delete(key)
      })
      writing.set(key, now)
      return now
    },
    headroom,
    sync: names.sync,
    async *list(signal) {
      for (const folder of known) {
        throwIfAborted(signal)
        const entries = await refuse('the store cannot be listed', () =>
          readdir(join(dir, folder), { withFileTypes: true }),
        )
        for (const entry of entries) {
          const { name } = entry
          const multihash = entry.isDirectory() ? undefined : multihashOf(name)
          if (multihash !== undefined) yield { multihash, folder, file: name }
        }
      }
    },
    async remove({ folder, file }) {
      requireOpen()
      if (writing.has(file) || removing.has(file)) return undefined
      const now = refuse('a block cannot be removed', async () => {
        const path = join(dir, folder, file)
        const size = await sizeOf(path)
        // Not `rm`, which looks at the file once more.
        await unlink(path).catch((error: unknown) => {
          if (systemCode(error) !== 'ENOENT') throw error
        })
        broken.delete(file)
        return size ?? 0
      }).finally(() => removing.delete(file))
      removing.set(file, now)
      return now
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...writing.values(), ...removing.values(), names.settled()])
    },
  }
}

async function refuse<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw diskError(error, what)
  }
}

async function readBlock(
  path: string,
  cid: CID,
  signal: AbortSignal,
  take: TakeBytes | undefined,
): Promise<Uint8Array> {
  try {
    return await readWhole(path, take)
  } catch (error) {
    throwIfAborted(signal)
    if (systemCode(error) !== 'ENOENT') throw error
    throw new IpfsError('not_found', `block ${cid} is not here`, { cause: error })
  }
}

/** Whether the next `put` replaces the block: its bytes are wrong, or cannot be read. */
function isBroken(error: unknown): boolean {
  const code = error instanceof IpfsError ? error.code : systemCode(error)
  return code === 'bad_content' || code === 'EIO' || code === 'ELOOP'
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path)
    return found.isFile() ? found.size : undefined
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

const extension = '.data'

/**
 * The place of a block. Its file is named by its multihash, and lies in a folder of the last two characters, which are the
 * ones that differ. The layout is that of `blockstore-fs` (Helia), so that either can take over the folder of the other.
 */
export function blockPath({ multihash }: CID): { readonly folder: string; readonly file: string } {
  return placeOf(multihash.bytes)
}

/** The place of the block of a multihash. */
export function placeOf(multihash: Uint8Array): StoredBlock {
  const name = base32upper.encoder.encode(multihash)
  return { multihash, folder: name.slice(-2), file: name + extension }
}

/** The multihash that a file is named by; undefined where the file is no block. */
function multihashOf(file: string): Uint8Array | undefined {
  if (!file.endsWith(extension)) return undefined
  try {
    return decodeDigest(base32upper.decoder.decode(file.slice(0, -extension.length))).bytes
  } catch {
    return undefined
  }
}
