import { constants } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { FsBlockstore } from 'blockstore-fs'
import { NextToLast } from 'blockstore-fs/sharding'
import { exporter } from 'ipfs-unixfs-exporter'
import { importer, type ImporterOptions, type WritableStorage } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced } from 'ipfs-unixfs-importer/layout'
import { leafBytes, readContent } from './content.ts'
import type { Jobs } from './worker.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = constants

interface DurableStore extends WritableStorage {
  /** Syncs the names, too. */
  sync(): Promise<void>
}

/**
 * Runs the parts of Helia's unixfs, with their defaults except where these change the CID: `ipfs-unixfs-importer` into
 * `blockstore-fs`, and `ipfs-unixfs-exporter` out of it. `isDurable`: each block is on the disk before it is renamed, and
 * the names are at the end, as in the local backend.
 */
export async function importerRole(
  folder: string,
  isDurable: boolean,
): Promise<
  Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add' | 'cat'> & { close(): Promise<void> }
> {
  const store = new FsBlockstore(folder)
  await store.open()
  const durable = isDurable ? durableStore(folder) : undefined
  const shape: ImporterOptions = {
    cidVersion: 1,
    rawLeaves: true,
    reduceSingleLeafToSelf: true,
    chunker: fixedSize({ chunkSize: leafBytes }),
    layout: balanced({ maxChildrenPerNode: 174 }),
  }
  let root: Parameters<typeof exporter>[0] | undefined
  return {
    async add({ file }) {
      const source = [{ path: 'content', content: readContent(file, leafBytes) }]
      for await (const entry of importer(source, durable ?? store, shape)) root = entry.cid
      await durable?.sync()
      return String(root!)
    },
    async cat() {
      const entry = await exporter(root!, store)
      if (entry.type !== 'file') throw new TypeError(`a file was added, ${entry.type} came back`)
      let bytes = 0
      for await (const part of entry.content()) bytes += part.length
      return String(bytes)
    },
    close: () => store.close(),
  }
}

/** Writes files that `blockstore-fs` reads. */
function durableStore(folder: string): DurableStore {
  const names = new NextToLast()
  const made = new Map<string, Promise<unknown>>()
  const changed = new Set([folder])
  return {
    async put(cid, block) {
      const { dir, file } = names.encode(cid)
      const inside = join(folder, dir)
      if (!made.has(inside)) made.set(inside, mkdir(inside, { recursive: true }))
      await made.get(inside)
      const part = join(inside, `${file}.part`)
      const handle = await open(part, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC)
      await handle.writeFile(block)
      await handle.close()
      await rename(part, join(inside, file))
      changed.add(inside)
      return cid
    },
    async sync() {
      await Promise.all([...changed].map(syncFolder))
      changed.clear()
      changed.add(folder)
    },
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path)
  await handle.sync()
  await handle.close()
}
