import type { IpfsPath } from '../../backend.ts'
import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'
import type { IpfsCatOptions, IpfsEntry, IpfsLink, IpfsReadOptions, Verification, VerifyMode } from '../client.ts'
import type { Host } from '../host.ts'
import { safeName } from '../safe-name.ts'
import { isCheckable } from './check-block.ts'
import { blocksByExport, blocksByGet, type Lacks, type RemoteBlocks } from './remote-blocks.ts'
import { fileBytes, type Item, loadItem, membersOf, resolvePath } from './walk.ts'

/** Most directories within each other, as in our server. */
const mostDepth = 512

/** Settings of every read of a client. */
export interface ReadSettings {
  readonly host: Host
  readonly verify: VerifyMode
  readonly lacks: Lacks
}

/**
 * Reads the bytes of a file, each checked before it is handed out. Returns `unsupported`, without any bytes, if the host gives
 * no blocks or the CID cannot be checked here.
 * @throws IpfsError `bad_argument` for a range that is none
 */
export async function* readBytes(
  { host, lacks }: ReadSettings,
  path: string,
  { offset = 0, length = Infinity, ...options }: IpfsCatOptions,
  report: (verification: Verification) => void,
): AsyncGenerator<Uint8Array, 'read' | 'unsupported'> {
  for (const [name, value] of Object.entries({ offset, length })) {
    if (!(value >= 0) || (value !== Infinity && !Number.isSafeInteger(value))) {
      throw new IpfsError('bad_argument', `expected ${name} as a whole number of bytes, got ${value}`)
    }
  }
  const isWhole = offset === 0 && length === Infinity
  const opened = await open(host, lacks, path, options, isWhole)
  if (opened === undefined) return 'unsupported'
  const { blocks, item } = opened
  try {
    if (item.type === 'directory')
      throw new IpfsError('is_directory', `${path} is a directory: list it with ls, or read it with get`)
    report('proven')
    if (item.type === 'file') yield* fileBytes(blocks, item, offset, offset + length)
    else yield item.bytes.slice(offset, offset + length)
    return 'read'
  } finally {
    blocks.close()
  }
}

/** Reads a file, or a directory with everything below it. Returns `unsupported` as {@link readBytes} does. */
export async function* readEntries(
  { host, lacks }: ReadSettings,
  path: string,
  options: IpfsReadOptions,
): AsyncGenerator<IpfsEntry, 'read' | 'unsupported'> {
  const opened = await open(host, lacks, path, options, true)
  if (opened === undefined) return 'unsupported'
  const { blocks, item } = opened
  try {
    yield* entriesOf(blocks, item, rootName(path))
    return 'read'
  } finally {
    blocks.close()
  }
}

/** Lists the links of a directory. Returns `unsupported` as {@link readBytes} does. */
export async function* readLinks(
  { host, lacks }: ReadSettings,
  path: string,
  options: IpfsReadOptions,
): AsyncGenerator<IpfsLink, 'read' | 'unsupported'> {
  const opened = await open(host, lacks, path, options, false)
  if (opened === undefined) return 'unsupported'
  const { blocks, item } = opened
  try {
    if (item.type !== 'directory') throw new IpfsError('bad_argument', `${path} is no directory: read it with cat`)
    for await (const { name, cid } of membersOf(blocks, item)) {
      yield { name, cid: cid.toString(), verification: 'proven' }
    }
    return 'read'
  } finally {
    blocks.close()
  }
}

interface Opened {
  readonly blocks: RemoteBlocks
  readonly item: Item
}

/** Opens the item at a path; undefined if nothing can be checked. */
async function open(
  host: Host,
  lacks: Lacks,
  path: string,
  options: IpfsReadOptions,
  isWhole: boolean,
): Promise<Opened | undefined> {
  const place = placeOf(path)
  if (place === undefined || !isCheckable(place.cid)) return undefined
  let blocks = blocksByGet(host, lacks, options)
  try {
    const cid = await resolvePath(blocks, place.cid, place.segments)
    // A raw block has no others below it that an archive could bring.
    const archive = isWhole && cid.code !== codecCodes.raw ? await blocksByExport(host, lacks, cid, options) : undefined
    if (archive !== undefined) {
      blocks.close()
      blocks = archive
    }
    return { blocks, item: await loadItem(blocks, cid) }
  } catch (thrown) {
    blocks.close()
    if (thrown instanceof IpfsError && (thrown.code === 'unsupported' || thrown.code === 'unverified')) return undefined
    throw thrown
  }
}

/** Returns the name of the first entry of `get`, whatever a host calls it. @throws IpfsError `bad_content`, `bad_argument` */
export function rootName(path: string): string {
  const place = placeOf(path)
  const segments = place?.segments ?? path.split('/').filter((segment) => segment !== '')
  return safeName(segments.at(-1) ?? String(place?.cid))
}

/** Parses a path; undefined for a name of IPNS, which no block proves. */
function placeOf(path: string): IpfsPath | undefined {
  try {
    return readIpfsPath(path)
  } catch (thrown) {
    if (thrown instanceof IpfsError && thrown.code === 'unsupported') return undefined
    throw thrown
  }
}

async function* entriesOf(blocks: RemoteBlocks, item: Item, path: string, depth = 0): AsyncGenerator<IpfsEntry> {
  const { type, size, data } = item
  if (depth > mostDepth)
    throw new IpfsError('too_large', `expected directories at most ${mostDepth} deep, at ${item.cid}`)
  yield {
    path,
    type,
    size,
    content: type === 'file' ? fileBytes(blocks, item, 0, Infinity) : noBytes(),
    target: type === 'symlink' ? new TextDecoder().decode(item.bytes) : undefined,
    mode: data?.mode,
    mtime: data?.mtime,
    verification: 'proven',
  }
  if (type !== 'directory') return
  for await (const { name, cid } of membersOf(blocks, item))
    yield* entriesOf(blocks, await loadItem(blocks, cid), `${path}/${name}`, depth + 1)
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
