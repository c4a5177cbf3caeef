import type { ByteStream } from '../backend.ts'
import type { BlockWriter } from './add-blocks.ts'
import type { BuildOptions } from './add-options.ts'
import { encodeLeaf, encodeParent, encodeUnixFs, type Link, linkTo, type Metadata } from './add-unixfs.ts'

/** Shorter leaves take no buffer of the pool: they are no burden for the collector. */
const leastPooledBytes = 64 * 1024

/** Subtrees of each depth in a trickle DAG. Source: Kubo. */
const repeats = 4

/**
 * Writes the blocks of a file, each as soon as its content is here. Holds only the links of the blocks that are not full
 * yet. A file of one raw leaf that has metadata needs a block of UnixFS around it.
 */
export async function writeFile(
  content: ByteStream,
  metadata: Metadata,
  options: BuildOptions,
  blocks: BlockWriter,
): Promise<Link> {
  const chunks = options.chunker(content, blocks.pool)[Symbol.asyncIterator]()
  try {
    return await (options.trickle ? trickle : balanced)(chunks, metadata, options, blocks)
  } finally {
    await chunks.return?.()
  }
}

type Layout = (
  chunks: AsyncIterator<Uint8Array>,
  metadata: Metadata,
  options: BuildOptions,
  blocks: BlockWriter,
) => Promise<Link>

/** Builds a tree whose leaves all have the same distance from the root. */
const balanced: Layout = async (chunks, metadata, { rawLeaves, maxFileLinks }, blocks) => {
  const first = (await chunks.next()).value ?? new Uint8Array(0)
  let chunk: IteratorResult<Uint8Array, unknown> = await chunks.next()
  if (chunk.done === true) {
    const hasMetadata = metadata.mode !== undefined || metadata.mtime !== undefined
    return writeLeaf(first, rawLeaves && !hasMetadata, 'file', blocks, metadata)
  }
  /** For each level, the links of the block that is not full yet. */
  const levels: Link[][] = []
  const push = async (level: number, link: Link): Promise<void> => {
    const links = (levels[level] ??= [])
    if (links.length === maxFileLinks) {
      await push(level + 1, await writeParent(links, {}, blocks))
      links.length = 0
    }
    links.push(link)
  }
  await push(0, await writeLeaf(first, rawLeaves, 'file', blocks))
  for (; chunk.done !== true; chunk = await chunks.next()) {
    await push(0, await writeLeaf(chunk.value, rawLeaves, 'file', blocks))
  }
  let level = 0
  for (; level < levels.length - 1; level++) await push(level + 1, await writeParent(levels[level]!, {}, blocks))
  return writeParent(levels[level]!, metadata, blocks)
}

/** Builds a tree of leaves first, then of ever deeper subtrees, so that the beginning is close to the root. */
const trickle: Layout = async (chunks, metadata, { rawLeaves, maxFileLinks }, blocks) => {
  let next = await chunks.next()
  const isLeft = (): boolean => next.done !== true
  const fill = async (deepest: number, of: Metadata): Promise<Link> => {
    const links: Link[] = []
    for (; links.length < maxFileLinks && isLeft(); next = await chunks.next()) {
      links.push(await writeLeaf(next.value, rawLeaves, 'raw', blocks))
    }
    for (let depth = 1; depth < deepest && isLeft(); depth++) {
      for (let turn = 0; turn < repeats && isLeft(); turn++) links.push(await fill(depth, {}))
    }
    return writeParent(links, of, blocks)
  }
  return fill(Number.POSITIVE_INFINITY, metadata)
}

async function writeLeaf(
  chunk: Uint8Array,
  isRaw: boolean,
  type: 'file' | 'raw',
  blocks: BlockWriter,
  metadata: Metadata = {},
): Promise<Link> {
  const fileSize = chunk.length
  const take = fileSize < leastPooledBytes ? undefined : blocks.pool?.take
  const bytes = isRaw ? chunk : encodeLeaf({ type, data: chunk, fileSize, ...metadata }, take)
  if (!isRaw) blocks.pool?.release(chunk)
  const { length } = bytes
  return linkTo(await blocks.write(bytes, isRaw ? 'raw' : 'dag-pb'), length, fileSize)
}

async function writeParent(links: readonly Link[], metadata: Metadata, blocks: BlockWriter): Promise<Link> {
  const blockSizes = links.map((link) => link.fileSize)
  const fileSize = blockSizes.reduce((sum, size) => sum + size, 0)
  const unixFs = encodeUnixFs({ type: 'file', fileSize, blockSizes, ...metadata })
  const { bytes, below } = encodeParent(
    unixFs,
    links.map((link) => ['', link]),
  )
  return linkTo(await blocks.write(bytes, 'dag-pb'), bytes.length, fileSize, below)
}
