import { IpfsError } from '../error.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsContent, IpfsMtime, IpfsUpload, VerifyMode } from './client.ts'
import type { Host, Query } from './host.ts'
import { linesOf } from './lines.ts'
import { type NamedUpload, sizeOf, uploadParts } from './upload-parts.ts'

export interface AddSettings {
  readonly host: Host
  readonly verify: VerifyMode
  readonly uploads: 'stream' | 'buffer'
  /** Of a multipart body: what no content holds. */
  readonly boundary: () => string
}

/** Lines of an answer that tell of nothing that was sent, before it counts as endless. */
const mostOthers = 10_000

/** `IpfsClient.addAll`. */
export async function* addAll(
  { host, uploads, boundary: newBoundary, ...settings }: AddSettings,
  source: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  options: IpfsAddOptions = {},
): AsyncGenerator<IpfsAdded> {
  const { first, entries } = await peek(source)
  const preserveMode = options.preserveMode ?? first?.mode !== undefined
  const preserveMtime = options.preserveMtime ?? first?.mtime !== undefined
  const verify = options.verify ?? settings.verify
  const full = { ...options, preserveMode, preserveMtime }
  const witness = verify === 'off' ? undefined : (await import('./verified/add-witness.ts')).createAddWitness(full)
  if (verify === 'proven' && witness === undefined) {
    throw unproven()
  }

  const boundary = newBoundary()
  const expected = expectation(options.wrapWithDirectory)
  const total = Array.isArray(source) && source.length === 1 ? sizeOf(source[0].content) : undefined
  let bytes = 0
  let isSent = false
  const parts = uploadParts(entries, {
    preserveMode,
    preserveMtime,
    boundary,
    keepBlobs: uploads === 'buffer',
    witness,
    onEntry: expected.add,
    onBytes: (more) => options.onProgress?.((bytes += more), total),
    onEnd: () => (isSent = true),
  })
  try {
    const content =
      uploads === 'stream'
        ? (parts as AsyncIterable<Uint8Array>)
        : await (await import('./buffered.ts')).buffered(parts, options.signal)
    const body = { type: `multipart/form-data; boundary=${boundary}`, content }
    const { chunks, waitFor } = await host.call('add', queryOf(full), options, body)
    for await (const line of linesOf(chunks, host.redact)) {
      const name = line['Name']
      const hash = line['Hash']
      expected.seen(hash === undefined ? undefined : name)
      if (hash === undefined) continue
      const size = Number(line['Size'])
      if (typeof name !== 'string' || typeof hash !== 'string' || !(line['Size'] && Number.isSafeInteger(size)))
        throw noAdded()
      const verification = (witness && (await waitFor(witness.check(name, hash)))) ?? 'unverified'
      if (verification === 'unverified' && verify === 'proven') {
        throw unproven()
      }
      yield { cid: hash, size, path: name, verification, ...metadataOf(line) }
    }
    expected.end(isSent)
  } finally {
    witness?.close()
    // Not awaited: the caller's source may never come back.
    parts.return(undefined).catch(() => {})
  }
}

/** `IpfsClient.add`. */
export async function add(
  settings: AddSettings,
  input: IpfsContent | IpfsUpload,
  options?: IpfsAddOptions,
): Promise<IpfsAdded> {
  let last: IpfsAdded | undefined
  for await (const added of addAll(settings, [uploadOf(input)], options)) last = added
  if (last === undefined) throw noAdded()
  return last
}

function uploadOf(input: IpfsContent | IpfsUpload): IpfsUpload {
  if (typeof input === 'object' && ('content' in input || 'target' in input)) return input
  const name = input instanceof Blob ? (input as Partial<File>).name : undefined
  return { path: name, content: input as IpfsContent }
}

async function peek(
  source: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
): Promise<{ first: IpfsUpload | undefined; entries: AsyncIterable<IpfsUpload> }> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const head = await iterator.next()
  if (head.done) throw new IpfsError('bad_argument', 'expected something to add')
  const entries = (async function* (): AsyncGenerator<IpfsUpload> {
    try {
      for (let next: IteratorResult<IpfsUpload> = head; !next.done; next = await iterator.next()) yield next.value
    } finally {
      void iterator.return?.()
    }
  })()
  return { first: head.value, entries }
}

/** Options that decide a CID are always told: the defaults of hosts differ. */
function queryOf(options: IpfsAddOptions): Query {
  const { cidVersion = 0 } = options
  return {
    'cid-version': cidVersion,
    'raw-leaves': options.rawLeaves ?? cidVersion === 1,
    chunker: options.chunker ?? 'size-262144',
    hash: options.hash,
    trickle: options.trickle,
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

/** The names that an answer must tell of: each entry, the folders above it, and the one that wraps all. */
function expectation(wrap: boolean | undefined): Expectation {
  const names = new Set<unknown>(wrap ? [''] : [])
  let unnamed = 0
  let others = 0
  return {
    add({ path, type }) {
      if (path === '') unnamed++
      // Not every host tells of a directory that holds nothing.
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

function metadataOf(line: Record<string, unknown>): { mode?: number; mtime?: IpfsMtime } {
  const { Mode: mode, Mtime: secs, MtimeNsecs: nsecs } = line
  return {
    ...(mode === undefined ? {} : { mode: Number.parseInt(String(mode), 8) }),
    ...(Number.isSafeInteger(secs) ? { mtime: { secs: BigInt(secs as number), nsecs: Number(nsecs ?? 0) } } : {}),
  }
}

function unproven(): IpfsError {
  return new IpfsError('unverified', 'expected sha2-256, no inlining, modes or times')
}

function noAdded(): IpfsError {
  return new IpfsError('invalid_response', 'expected Name, Hash and Size: check url')
}
