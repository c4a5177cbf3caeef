import { abortable } from '../abortable.ts'
import { IpfsError } from '../error.ts'
import type { Metadata } from '../unixfs/add-unixfs.ts'
import type { AddSettings, FullOptions, Uploading } from './uploading.ts'
import { type ArchiveSender, createArchiveSender } from './archive-sender.ts'
import { carHeader, sectionHead } from './car-writer.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsUpload } from './client.ts'
import type { Host, HostCallOptions } from './host.ts'
import { onePart } from './one-part.ts'
import { createPinApi } from './pins.ts'
import { buildUpload, canBuild, type UploadEntry } from './verified/build-upload.ts'
import { cidOfBlock, createHasher } from './verified/hasher.ts'

/** Statuses by which a host says that it has no such call, or none for this key. */
const absent: ReadonlySet<number | undefined> = new Set([403, 404, 405, 501])

/** Longest time that a failed upload takes to remove its pins, in ms. */
const mostCleaningMs = 5_000

/** The block of an empty directory, which most hosts have already. */
const emptyDirectory = Uint8Array.of(10, 2, 8, 1)

/**
 * Says why an upload cannot be sent in archives; undefined if it can. Sends the host an archive of one small block.
 * @throws IpfsError if the host cannot be asked
 */
export async function whyNoArchives(
  { host, lacks, boundary }: AddSettings,
  options: IpfsAddOptions,
): Promise<string | undefined> {
  if (!canBuild(options)) return 'only CIDs of sha2-256 without inlining are computed here'
  if (options.onlyHash) return undefined
  if (!lacks.has('dag/import') && (await takesArchives(host, boundary(), options))) return undefined
  lacks.add('dag/import')
  return 'the host takes no archives (dag/import)'
}

async function takesArchives(host: Host, boundary: string, options: HostCallOptions): Promise<boolean> {
  const cid = await cidOfBlock(emptyDirectory, 'dag-pb', 1)
  const archive = [carHeader(cid), sectionHead(cid, emptyDirectory.length), emptyDirectory]
  const query = { 'pin-roots': false, stats: true }
  try {
    return 'Stats' in Object(await host.json('dag/import', query, options, onePart(archive, boundary)))
  } catch (thrown) {
    if (!(thrown instanceof IpfsError)) throw thrown
    if (thrown.code === 'invalid_response' || (thrown.code === 'http_status' && absent.has(thrown.status))) return false
    throw thrown
  }
}

/**
 * Builds the DAG of an upload here, and sends its blocks in archives. Yields an entry when the host has its blocks, the roots when
 * they are pinned.
 */
export async function* addInArchives(
  uploading: Uploading,
  settings: AddSettings,
  entries: AsyncIterable<IpfsUpload>,
  options: FullOptions,
): AsyncGenerator<IpfsAdded> {
  const { linesOf } = uploading
  const { cidVersion = 0, onlyHash = false, pin = true, wrapWithDirectory = false } = options
  const sender = createArchiveSender(settings, options, linesOf)
  const blocks = onlyHash ? createHasher(cidVersion) : sender
  const uploads = uploadsOf(uploading, entries, options, onlyHash ? options.onBytes : sender.count)
  const waiting: Waiting[] = []
  const roots: string[] = []
  try {
    for await (const { path, link, metadata } of buildUpload(uploads, options, blocks)) {
      const cid = link.cid.toString()
      const isRoot = wrapWithDirectory ? path === '' : !path.includes('/')
      if (isRoot) roots.push(cid)
      const added = { cid, size: link.size, path, verification: 'proven', ...given(metadata) } as const
      waiting.push({ added, isRoot, archive: sender.sent + (sender.isEmpty ? 0 : 1) })
      yield* arrived(waiting, sender)
    }
    await sender.flush()
    const pins = createPinApi(settings.host, linesOf)
    // A host that tells its progress is not silent while it walks what may be much.
    const pinning = { ...options, name: options.pinName, recursive: true, onProgress() {} }
    if (pin && !onlyHash) for (const cid of roots) await pins.add(cid, pinning)
    await sender.unpin()
    for (const { added } of waiting) yield added
  } finally {
    await sender.unpin(mostCleaningMs)
  }
}

/** An entry that the host may not have in full. */
interface Waiting {
  readonly added: IpfsAdded
  readonly isRoot: boolean
  /** The number of the archive with its last block, from 1. */
  readonly archive: number
}

/** Takes the entries that the host has, up to the first root. */
function* arrived(waiting: Waiting[], { sent }: ArchiveSender): Generator<IpfsAdded> {
  while (waiting.length > 0 && !waiting[0]!.isRoot && waiting[0]!.archive <= sent) yield waiting.shift()!.added
}

async function* uploadsOf(
  { nameUpload, piecesOf }: Uploading,
  entries: AsyncIterable<IpfsUpload>,
  options: FullOptions,
  count: (bytes: number) => void,
): AsyncGenerator<UploadEntry> {
  const { signal = new AbortController().signal } = options
  async function* counted({ content = [] }: IpfsUpload): AsyncGenerator<Uint8Array> {
    for await (const piece of abortable(piecesOf(content), signal)) {
      count(piece.byteLength)
      yield piece
    }
  }
  for await (const entry of abortable(entries, signal)) {
    const upload = nameUpload(entry, options)
    yield { upload, content: counted(upload) }
  }
}

function given({ mode, mtime }: Metadata): Pick<IpfsAdded, 'mode' | 'mtime'> {
  return { ...(mode !== undefined && { mode }), ...(mtime !== undefined && { mtime }) }
}
