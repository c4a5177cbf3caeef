import type { AddEntry, AddEvent, AddOptions, ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { BlockWriter } from '../unixfs/add-blocks.ts'
import { writeSymlink } from '../unixfs/add-directory.ts'
import { type EventQueue, createEventQueue } from './add-events.ts'
import { writeFile } from '../unixfs/add-file.ts'
import { type BuildOptions, buildOptions } from '../unixfs/add-options.ts'
import { createUpload, isTree, type Tree, type Upload, writeTree } from '../unixfs/add-tree.ts'
import type { Link, Metadata } from '../unixfs/add-unixfs.ts'
import { abortable, throwIfAborted } from '../abortable.ts'
import { loadHash } from '../unixfs/multihash.ts'

/** Bytes of content between two events of progress. Source: Kubo. */
const progressBytes = 256 * 1024
/** Events of progress that may wait for who reads them: no content is read further ahead. */
const mostProgress = 64
/** Entries that may wait for a sync, of which there is one for all of them. */
const mostAdded = 4_096

/** Blocks of an upload that need no bytes, and bytes for each block beyond them: a block is work however short it is. */
const freeBlocks = 65_536
const bytesPerBlock = 16
/** Bytes of a part of a request beside its name and its content, at least. */
const partBytes = 64

/** The store that {@link addEntries} writes to. */
export interface AddTarget {
  /** Makes a writer for blocks of these options. */
  writer(options: BuildOptions): BlockWriter
  /** Makes all that was written survive a loss of power. */
  sync(): Promise<void>
}

/**
 * Builds and stores an upload. Reads on while a few blocks are still being stored. Entries that are ready together are made
 * safe together. Source: Kubo, `ipfs add`.
 * @throws IpfsError `aborted`, `bad_argument`, `too_large`, `storage`, and those of the entries
 */
export async function* addEntries(
  entries: AsyncIterable<AddEntry>,
  options: AddOptions,
  target: AddTarget,
  signal: AbortSignal,
): AsyncGenerator<AddEvent> {
  const build = buildOptions(options)
  await loadHash(build.hash)
  const read = { bytes: 0 }
  const blocks = boundedBy(read, target.writer(build))
  const left = new AbortController()
  const events = createEventQueue<AddEvent>(({ type }) => (type === 'progress' ? mostProgress : mostAdded))
  const run = AbortSignal.any([signal, left.signal])
  const building = produce(counted(entries, read), options, build, blocks, events, run).then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  )
  try {
    for (;;) {
      const ready = await events.take()
      throwIfAborted(signal)
      if (ready === undefined) return
      if (ready.some(({ type }) => type !== 'progress')) {
        await blocks.settle()
        if (!options.onlyHash) await target.sync()
      }
      yield* ready
    }
  } finally {
    left.abort(new IpfsError('aborted', 'whoever read the events of this upload has left'))
    events.fail(undefined)
    await building
    // Nothing of this upload may be written once its hold is gone.
    await blocks.settle().catch(() => undefined)
  }
}

/** Counts the bytes of an upload as they are read. */
async function* counted(entries: AsyncIterable<AddEntry>, read: { bytes: number }): AsyncGenerator<AddEntry> {
  async function* contentOf(content: ByteStream): ByteStream {
    for await (const part of content) {
      read.bytes += part.length
      yield part
    }
  }
  for await (const entry of entries) {
    read.bytes += entry.path.length + partBytes
    yield entry.type === 'file' ? { ...entry, content: contentOf(entry.content) } : entry
  }
}

/** Refuses blocks of a writer as `too_large` where they are too many for the bytes that were read. */
function boundedBy(read: { readonly bytes: number }, blocks: BlockWriter): BlockWriter {
  let written = 0
  return {
    ...blocks,
    async write(bytes, codec) {
      if (++written <= freeBlocks + read.bytes / bytesPerBlock) return blocks.write(bytes, codec)
      const most = `${freeBlocks} blocks, and one more for each ${bytesPerBlock} bytes`
      throw new IpfsError('too_large', `an upload may have ${most}: use larger chunks, or fewer directories`)
    },
  }
}

async function produce(
  entries: AsyncIterable<AddEntry>,
  options: AddOptions,
  build: BuildOptions,
  blocks: BlockWriter,
  events: EventQueue<AddEvent>,
  signal: AbortSignal,
): Promise<void> {
  const upload = createUpload()
  for await (const entry of abortable(entries, signal)) {
    await addEntry(entry, upload, options, build, blocks, events, signal)
  }
  await addDirectories(upload, options, build, blocks, events)
}

async function addEntry(
  entry: AddEntry,
  upload: Upload,
  options: AddOptions,
  build: BuildOptions,
  blocks: BlockWriter,
  events: EventQueue<AddEvent>,
  signal: AbortSignal,
): Promise<void> {
  const metadata: Metadata = {
    mode: options.preserveMode ? entry.mode : undefined,
    mtime: options.preserveMtime ? entry.mtime : undefined,
  }
  if (entry.type === 'directory') return upload.makeDirectory(entry.path, metadata)
  let link: Link
  if (entry.type === 'symlink') {
    link = await writeSymlink(entry.target, metadata, blocks)
  } else {
    const content = abortable(entry.content, signal)
    const reported = options.progress ? withProgress(content, entry.path, events) : content
    link = await writeFile(reported, metadata, build, blocks)
  }
  // As in Kubo, an entry without a name is named by its CID inside the directory that wraps it.
  const name = entry.path === '' ? link.cid.toString() : entry.path
  // Two files at the top may have one name, as in Kubo: no directory holds them, so that each is known by its CID.
  upload.put(options.wrapWithDirectory || name.includes('/') ? name : `\0${link.cid}`, link)
  await events.push(added(options.wrapWithDirectory ? name : entry.path, link, metadata))
}

async function addDirectories(
  { top }: Upload,
  { wrapWithDirectory, onlyHash }: AddOptions,
  build: BuildOptions,
  blocks: BlockWriter,
  events: EventQueue<AddEvent>,
): Promise<void> {
  const write = async (path: string, tree: Tree): Promise<Link> => {
    const written = writeTree(path, tree, build, blocks)
    for (;;) {
      const { done, value } = await written.next()
      if (done === true) return value
      await events.push(added(value.path, value.link, value.metadata))
    }
  }
  const roots: Link[] = []
  if (wrapWithDirectory) {
    roots.push(await write('', top))
  } else {
    for (const [name, child] of top.children) roots.push(isTree(child) ? await write(name, child) : child)
  }
  if (onlyHash) return
  for (const { cid, size, diskBytes } of roots) {
    await events.push({ type: 'root', cid, size: BigInt(size), diskBytes: BigInt(diskBytes) })
  }
}

function added(path: string, { cid, size }: Link, { mode, mtime }: Metadata): AddEvent {
  return {
    type: 'added',
    path,
    cid,
    size: BigInt(size),
    ...(mode !== undefined && { mode }),
    ...(mtime !== undefined && { mtime }),
  }
}

async function* withProgress(content: ByteStream, path: string, events: EventQueue<AddEvent>): ByteStream {
  let bytes = 0
  let reported = 0
  for await (const part of content) {
    bytes += part.length
    if (bytes - reported >= progressBytes) {
      reported = bytes
      await events.push({ type: 'progress', path, bytes })
    }
    yield part
  }
  await events.push({ type: 'progress', path, bytes })
}
