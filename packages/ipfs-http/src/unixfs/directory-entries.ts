import { IpfsError } from '../error.ts'
import type { BlockSource } from './block-source.ts'
import { type DirectoryEntry, shardEntries } from './hamt.ts'
import { linkCid, linkName, linkSize, type PbNode } from './pb-node.ts'
import type { UnixFsData } from './unixfs-data.ts'

/** Yields the entries of a plain or sharded directory, in the order of its blocks. @throws IpfsError `bad_content`, `not_found`, `aborted` */
export async function* directoryEntries(
  source: BlockSource,
  node: PbNode,
  data: UnixFsData,
  signal: AbortSignal,
): AsyncGenerator<Pick<DirectoryEntry, 'cid' | 'size'> & { readonly name: string }> {
  if (data.type === 'shard') {
    for await (const { name, ...entry } of shardEntries(source, node, data, signal)) {
      yield { name: nameOf(name, node), ...entry }
    }
    return
  }
  const seen = new Set<string>()
  for (let index = 0; index < node.linkCount; index++) {
    const name = nameOf(linkName(node, index), node)
    if (seen.has(name)) throw new IpfsError('bad_content', `directory ${node.cid} has two entries "${name}"`)
    seen.add(name)
    yield { name, cid: linkCid(node, index), size: linkSize(node, index) }
  }
}

function nameOf(utf8: Uint8Array, { cid }: PbNode): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(utf8)
  } catch (cause) {
    throw new IpfsError('bad_content', `directory ${cid} has a name that is not UTF-8`, { cause })
  }
}
