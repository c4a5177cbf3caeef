import type { CID } from 'multiformats/cid'
import type { AddOptions, BackendCall, IpfsBackend } from '../backend.ts'
import { createBlockWriter } from '../unixfs/add-blocks.ts'
import { blockBytesOf, isSharded, linkBytesOf, shardThreshold, writeDirectory } from '../unixfs/add-directory.ts'
import { buildOptions } from '../unixfs/add-options.ts'
import type { Link } from '../unixfs/add-unixfs.ts'
import { directoryEntries } from '../unixfs/directory-entries.ts'
import { loadPb } from '../unixfs/load-block.ts'
import { loadHash } from '../unixfs/multihash.ts'
import { requireUnixFs } from '../unixfs/unixfs-data.ts'

/** The blocks of a node. */
export type KuboBlocks = Pick<IpfsBackend, 'getBlock' | 'putBlock'>

/** The directories of one upload, in the form that its options ask for. */
interface KuboDirectories {
  /**
   * Takes an entry that the node has added, members before their directory. Returns the link to a directory that was written again, in
   * another form or with members that were; undefined where the entry is as it should be.
   */
  formed(path: string, entry: EntryLink): Promise<EntryLink | undefined>
}

/** The CID of an entry, and the bytes of its whole DAG. */
interface EntryLink {
  readonly cid: CID
  readonly size: bigint
}

/** The entries of a directory so far. */
interface Tally {
  /** Bytes by either estimate of a directory's size. */
  linkBytes: number
  blockBytes: number
  /** The members that were written again. */
  readonly changed: Map<string, EntryLink>
}

/** Bytes by which both estimates may be off: of modes and times, and of a node that forgets a name while it replaces an entry. */
const margin = 512

/**
 * Creates the directories of an upload. A node's configuration has the estimate by which it shards, and no option of a call sets it: a
 * directory that only one estimate shards is read again, and written in the other form if it has the wrong one.
 */
export function createKuboDirectories(
  { getBlock, putBlock }: KuboBlocks,
  options: AddOptions,
  call: BackendCall,
): KuboDirectories {
  const { cidVersion: version, hash } = options
  const tallies = new Map<string, Tally>()
  const source = { get: (cid: CID) => getBlock(cid, call), has: async () => true }
  const sink = { put: async (_: CID, bytes: Uint8Array) => void (await putBlock(bytes, { ...shape }, call)) }
  const shape = { version: hash === 'sha2-256' ? version : 1, codec: 'dag-pb', hash } as const

  async function form({ cid }: EntryLink, changed: ReadonlyMap<string, EntryLink>): Promise<EntryLink | undefined> {
    const node = await loadPb(source, cid, call.signal)
    const data = requireUnixFs(node)
    const links = new Map<string, Link>()
    for await (const { name, ...entry } of directoryEntries(source, node, data, call.signal)) {
      const { cid: below, size } = changed.get(name) ?? entry
      links.set(name, { cid: below, size: Number(size), diskBytes: 0, fileSize: 0 })
    }
    const metadata = { mode: data.mode, mtime: data.mtime }
    const asShards = isSharded(links, metadata, options)
    if (changed.size === 0 && asShards === (data.type === 'shard')) return undefined
    const build = buildOptions(options)
    await loadHash(build.hash)
    const blocks = createBlockWriter(build, sink)
    const link = await writeDirectory(links, metadata, options, blocks, asShards)
    await blocks.settle()
    return { cid: link.cid, size: BigInt(link.size) }
  }

  function count(path: string, { cid, size }: EntryLink, isChanged: boolean): void {
    if (path === '') return
    const at = path.lastIndexOf('/')
    const above = path.slice(0, Math.max(at, 0))
    const name = path.slice(at + 1)
    const tally = tallies.get(above) ?? { linkBytes: 0, blockBytes: 0, changed: new Map<string, EntryLink>() }
    tallies.set(above, tally)
    tally.linkBytes += linkBytesOf(name, cid)
    tally.blockBytes += blockBytesOf(name, cid, Number(size))
    if (isChanged) tally.changed.set(name, { cid, size })
  }

  return {
    async formed(path, entry) {
      const tally = tallies.get(path)
      tallies.delete(path)
      const { linkBytes = 0, blockBytes = 0, changed = new Map<string, EntryLink>() } = tally ?? {}
      const isDoubtful = linkBytes <= shardThreshold + margin && blockBytes > shardThreshold - margin
      const link = isDoubtful || changed.size > 0 ? await form(entry, changed) : undefined
      count(path, link ?? entry, link !== undefined)
      return link
    },
  }
}
