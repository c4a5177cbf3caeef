import { IpfsError } from '../error.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsContent, IpfsUpload } from './client.ts'
import type { Query } from './host.ts'
import { linesOf } from './lines.ts'
import { type NamedUpload, nameUpload, piecesOf, sizeOf, uploadParts } from './upload-parts.ts'
import type { AddSettings, FullOptions, Uploading } from './uploading.ts'
import type { AddVerifier } from './verified/add-verifier.ts'

/** Most lines of an answer about entries that were not sent. With more, the answer counts as endless. */
const mostOthers = 10_000

/** The steps of an upload that load first. */
export const uploading: Uploading = { fullOptions, addInOne, leave, linesOf, nameUpload, piecesOf, sizeOf }

/** Decides what the caller left open. `first`: the first entry; `total`: the bytes of all, if they are known. */
async function fullOptions(
  settings: AddSettings,
  options: IpfsAddOptions,
  first: IpfsUpload,
  total: number | undefined,
): Promise<FullOptions> {
  const preserveMode = options.preserveMode ?? first.mode !== undefined
  const preserveMtime = options.preserveMtime ?? first.mtime !== undefined
  // A raw block has no place for modes and times: hosts refuse the two together.
  const rawLeaves = options.rawLeaves ?? (preserveMode || preserveMtime ? false : undefined)
  const { profile, cidVersion } = options
  const profiled = profile && (await import('../unixfs/profile.ts')).withProfile({ ...options, rawLeaves })
  let bytes = 0
  return {
    ...options,
    rawLeaves: rawLeaves ?? cidVersion === 1,
    ...profiled,
    preserveMode,
    preserveMtime,
    verify: options.verify ?? settings.verify,
    onBytes: (more) => options.onProgress?.((bytes += more), total),
  }
}

/** Uploads entries in one request. */
async function* addInOne(
  { host, uploads, boundary: newBoundary }: AddSettings,
  entries: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  options: FullOptions,
): AsyncGenerator<IpfsAdded> {
  const { preserveMode, preserveMtime, verify, wrapWithDirectory } = options
  let verifier: AddVerifier | undefined
  let parts: AsyncGenerator | undefined
  try {
    if (verify !== 'off') verifier = (await import('./verified/add-verifier.ts')).createAddVerifier(options)
    if (verify === 'proven' && verifier === undefined) throw unproven()

    const boundary = newBoundary()
    const expected = expectation(wrapWithDirectory)
    let isSent = false
    let root: string | undefined
    const body = (parts = uploadParts(entries, {
      preserveMode,
      preserveMtime,
      boundary,
      keepBlobs: uploads === 'buffer',
      observer: verifier,
      onEntry: expected.add,
      onBytes: options.onBytes,
      onEnd: () => (isSent = true),
    }))
    const content =
      uploads === 'stream'
        ? (body as AsyncIterable<Uint8Array>)
        : await (await import('./buffered.ts')).buffered(body, options.signal)
    const type = `multipart/form-data; boundary=${boundary}`
    const { chunks, waitFor, isWhole } = await host.call('add', queryOf(options), options, { type, content })
    for await (const line of linesOf(chunks, host.redact)) {
      const name = line['Name']
      const hash = line['Hash']
      expected.seen(hash === undefined ? undefined : name)
      if (hash === undefined) continue
      const size = Number(line['Size'])
      if (
        typeof name !== 'string' ||
        !/^\w{1,999}$/.test(String(hash)) ||
        !(line['Size'] && Number.isSafeInteger(size))
      ) {
        throw noAdded()
      }
      const checked = verifier && (await waitFor(verifier.check(name, hash as string)))
      const verification = checked?.verification ?? 'unverified'
      if (verification === 'unverified' && verify === 'proven') {
        throw unproven()
      }
      if (wrapWithDirectory ? name === '' : !name.includes('/')) root = hash as string
      const added = { cid: hash as string, size: checked?.size ?? size, path: name, verification }
      const hasMore = line['Mode'] ?? line['Mtime']
      yield hasMore === undefined ? added : { ...added, ...(await import('./added-metadata.ts')).metadataOf(line) }
    }
    expected.end(isSent)
    if (root !== undefined && !isWhole && !options.onlyHash) {
      const { confirmPin } = await import('./confirm-pin.ts')
      await confirmPin(host, { cid: root, pin: options.pin ?? true, pinName: options.pinName }, options)
    }
  } finally {
    verifier?.close()
    leave(parts)
  }
}

/** Closes a source. Not awaited: it may never come back. Nobody needs an error of its end. */
function leave(source: AsyncIterator<unknown> | Iterator<unknown> | undefined): void {
  void (async () => source?.return?.(undefined))().catch(() => {})
}

/** `IpfsClient.add`. */
export async function add(
  settings: AddSettings,
  input: IpfsContent | IpfsUpload,
  options: IpfsAddOptions = {},
): Promise<IpfsAdded> {
  const upload = uploadOf(input)
  const total = sizeOf(upload)
  const isSmall = total !== undefined && total < settings.maxRequestBytes - (1 << 16)
  const adding = isSmall
    ? addInOne(settings, [upload], await fullOptions(settings, settings.host.begin(options), upload, total))
    : (await import('./add-all.ts')).addAll(uploading, settings, [upload], options)
  let root: IpfsAdded | undefined
  for await (const added of adding) {
    // With one entry, each directory of the answer holds the others, in whatever order they come.
    if (!(root && added.path.length > root.path.length)) root = added
  }
  if (root === undefined) throw noAdded()
  return root
}

function uploadOf(input: IpfsContent | IpfsUpload): IpfsUpload {
  const { name } = Object(input) as Partial<File>
  if ('content' in Object(input) || 'target' in Object(input)) return input as IpfsUpload
  return { path: input instanceof Blob ? name : undefined, content: input as IpfsContent }
}

/** Always sends the options that decide the CID, because the defaults of hosts differ. */
function queryOf(options: FullOptions): Query {
  return {
    'cid-version': options.cidVersion ?? 0,
    'raw-leaves': options.rawLeaves,
    chunker: options.chunker ?? 'size-262144',
    hash: options.hash ?? 'sha2-256',
    trickle: options.trickle ?? false,
    profile: options.profile,
    'max-file-links': options.maxFileLinks ?? 174,
    'max-directory-links': 0,
    'max-hamt-fanout': 256,
    inline: options.inline,
    'inline-limit': options.inlineLimit,
    'wrap-with-directory': options.wrapWithDirectory,
    'preserve-mode': options.preserveMode,
    'preserve-mtime': options.preserveMtime,
    'only-hash': options.onlyHash,
    pin: options.pin,
    'pin-name': options.pinName,
  }
}

interface Expectation {
  readonly add: (entry: NamedUpload) => void
  readonly seen: (name: unknown) => void
  readonly end: (isSent: boolean) => void
}

/** Collects the names that an answer must have: each entry, the folders above it, and the one that wraps all. */
function expectation(wrap: boolean | undefined): Expectation {
  const names = new Set<unknown>(wrap ? [''] : [])
  let unnamed = 0
  let others = 0
  return {
    add({ path, type }) {
      if (path === '') unnamed++
      // Not every host names an empty directory. Those that do name no more than were sent.
      if (type === 'directory') others--
      const from = type === 'directory' ? path.lastIndexOf('/') : path.length
      for (let end = from; end > 0; end = path.lastIndexOf('/', end - 1)) names.add(path.slice(0, end))
    },
    seen(name) {
      if (name !== undefined && (names.delete(name) || --unnamed >= 0)) return
      if (++others > mostOthers) throw new IpfsError('invalid_response', 'the answer has no end')
    },
    end(isSent) {
      const missing = names.size + Math.max(unnamed, 0)
      if (missing > 0 || !isSent) throw new IpfsError('truncated', `the answer lacks ${missing} entries: retry`)
    },
  }
}

function unproven(): IpfsError {
  return new IpfsError('unverified', 'expected sha2-256, no inlining, modes or times')
}

function noAdded(): IpfsError {
  return new IpfsError('invalid_response', 'expected Name, Hash and Size: check url')
}
