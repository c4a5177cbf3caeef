import type { CID } from 'multiformats/cid'
import type { BlockSource } from '../../unixfs/block-source.ts'
import { createDigestSet } from '../digest-set.ts'
import { blockLinksOf, createLinkStack, isLeafCodec, linksOf } from './link-stack.ts'
import { loadBlock } from '../../unixfs/load-block.ts'

/** Most blocks of one walk, whose memory must have a bound. */
const mostBlocks = 2 ** 26

/** A block that a walk has met. */
export interface WalkedBlock {
  readonly cid: CID
  /** Its length in bytes. */
  readonly size: number
}

/**
 * Walks the blocks below `cid` (or it alone), each once, in no certain order. Reads `concurrency` of them at a time. The
 * content of an identity CID is part of the block that links to it. Memory: about 40 bytes for each block, and for each link
 * of the blocks above the present ones.
 *
 * @throws IpfsError `not_found`, `bad_content`, `unsupported` (a codec whose links are unknown), `too_large`, `aborted`
 */
export async function* walkDag(
  source: BlockSource,
  cid: CID,
  { recursive, concurrency = 8 }: { readonly recursive: boolean; readonly concurrency?: number },
  signal: AbortSignal,
): AsyncGenerator<WalkedBlock> {
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const seen = createDigestSet(mostBlocks)
  const stack = createLinkStack()
  const reading = new Set<Promise<void>>()
  const read: { readonly cid: CID; readonly size: number; readonly bytes?: Uint8Array }[] = []
  let failed: { readonly thrown: unknown } | undefined

  const start = (next: CID): void => {
    // A block without links is not read where it is known to be here.
    const known = isLeafCodec(next.code) ? source.knownSize?.(next) : undefined
    if (known !== undefined) return void read.push({ cid: next, size: known })
    const reader = loadBlock(source, next, either)
      .then(
        (bytes) => void read.push({ cid: next, size: bytes.length, bytes }),
        (thrown: unknown) => void (failed ??= { thrown }),
      )
      .finally(() => reading.delete(reader))
    reading.add(reader)
  }

  try {
    stack.push(cid, [cid.bytes])
    for (;;) {
      while (reading.size + read.length < concurrency) {
        const next = stack.pop()
        if (next === undefined) break
        if (seen.add(next.multihash.bytes, next.code)) start(next)
      }
      if (read.length === 0 && reading.size > 0) await Promise.race(reading)
      if (failed !== undefined) throw failed.thrown
      const block = read.shift()
      if (block === undefined) {
        if (reading.size === 0 && stack.isEmpty) return
        continue
      }
      const { cid: met, size, bytes } = block
      if (recursive && bytes !== undefined) stack.push(met, blockLinksOf(met, bytes))
      yield { cid: met, size }
    }
  } finally {
    ended.abort()
  }
}

/** Most blocks of one parent that are read before their turn. */
const readAhead = 2
/** Most blocks of all parents that are read before their turn. */
const mostAhead = 6
/** Bytes that are read ahead, if blocks are as long as the longest until now; one block always is. Readers that never read hold these. */
const mostAheadBytes = 1024 * 1024

/**
 * Walks the blocks below `cid`, and the contents of identity CIDs, with their bytes: each once, depth first, in the order of
 * links. Reads a few ahead.
 */
export async function* walkInOrder(
  source: BlockSource,
  cid: CID,
  signal: AbortSignal,
): AsyncGenerator<{ readonly cid: CID; readonly bytes: Uint8Array }> {
  const ended = new AbortController()
  const either = AbortSignal.any([signal, ended.signal])
  const seen = createDigestSet(mostBlocks)
  const stack = createLinkStack()
  const ahead = new Map<string, Promise<Uint8Array>>()
  let longest = 1

  try {
    stack.push(cid, [cid.bytes])
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const key = next.toString()
      const asked = ahead.get(key)
      ahead.delete(key)
      if (!seen.add(next.multihash.bytes, next.code)) continue
      const bytes = await (asked ?? loadBlock(source, next, either))
      longest = Math.max(longest, bytes.length)
      const mostNow = Math.min(mostAhead, Math.max(1, Math.floor(mostAheadBytes / longest)))
      stack.push(next, linksOf(next, bytes))
      for (const soon of stack.peek(readAhead)) {
        if (ahead.size >= mostNow) break
        if (ahead.has(soon.toString()) || seen.has(soon.multihash.bytes, soon.code)) continue
        const block = loadBlock(source, soon, either)
        block.catch(() => {})
        ahead.set(soon.toString(), block)
      }
      yield { cid: next, bytes }
    }
  } finally {
    ended.abort()
  }
}
