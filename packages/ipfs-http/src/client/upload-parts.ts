import { IpfsError } from '../error.ts'
import { toGoMode } from '../unixfs/go-mode.ts'
import type { IpfsContent, IpfsUpload } from './client.ts'

/** Follows the content of an upload, for example to hash it on the way. */
export interface UploadObserver {
  /** Begins the next entry. */
  begin(entry: NamedUpload): Promise<void>
  /** Takes content of the entry, and resolves when the upload may go on. */
  write(chunk: Uint8Array): Promise<void>
  /** Ends the upload: there are no more entries. */
  end(): Promise<void>
  /** Tells that the upload broke off. */
  close(): void
}

/** An entry with a clean path and one type. */
export interface NamedUpload extends IpfsUpload {
  readonly path: string
  readonly type: 'file' | 'directory' | 'symlink'
}

export interface UploadOptions {
  readonly boundary: string
  /** Whether a Blob is passed on as it is, instead of its bytes. */
  readonly keepBlobs: boolean
  readonly preserveMode: boolean
  readonly preserveMtime: boolean
  readonly observer: UploadObserver | undefined
  /** Whether a directory without a name is the one that holds all others, instead of a mistake. */
  readonly mayNameTop?: boolean | undefined
  readonly onEntry: (entry: NamedUpload) => void
  readonly onBytes: (bytes: number) => void
  /** Called when all content was taken. */
  readonly onEnd?: (() => void) | undefined
}

/** Longest piece that is sent at once, in bytes, so that progress and back-pressure mean something. */
const longestPiece = 1 << 16

const encoder = new TextEncoder()

/**
 * Writes the body of an upload as multipart/form-data, as Kubo's clients do: file names are URL-encoded, and mode and mtime
 * follow the field's name as a query.
 * @throws IpfsError `bad_argument` for a path that leads out of the upload
 */
export async function* uploadParts(
  entries: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  { boundary, keepBlobs, preserveMode, preserveMtime, observer, mayNameTop, onEntry, onBytes, onEnd }: UploadOptions,
): AsyncGenerator<Uint8Array | Blob> {
  let index = 0
  let isWhole = false
  try {
    for await (const entry of entries) {
      const named = nameUpload(entry, { preserveMode, preserveMtime, mayNameTop })
      onEntry(named)
      await observer?.begin(named)
      yield encoder.encode(`${index > 0 ? '\r\n' : ''}--${boundary}\r\n${headerOf(named, index++)}\r\n\r\n`)
      const { type, content, target } = named
      const blob = keepBlobs && content instanceof Blob
      if (type === 'symlink') yield encoder.encode(target)
      if (type !== 'file') continue
      for await (const piece of piecesOf(content!)) {
        await observer?.write(piece)
        onBytes(piece.byteLength)
        if (!blob) yield piece
      }
      if (blob) yield content
    }
    await observer?.end()
    isWhole = true
    onEnd?.()
    yield encoder.encode(`${index > 0 ? '\r\n' : ''}--${boundary}--\r\n`)
  } finally {
    // The rest will not come, and a caller may wait for its CID.
    if (!isWhole) observer?.close()
  }
}

function headerOf({ type, path, mode, mtime }: NamedUpload, index: number): string {
  const metadata = [
    ['mode', mode === undefined ? undefined : toGoMode(mode).toString(8).padStart(4, '0')],
    ['mtime', mtime?.secs],
    ['mtime-nsecs', mtime?.nsecs],
  ].filter(([, value]) => value !== undefined)
  const query = metadata.map((pair) => pair.join('=')).join('&')
  const field = `${type === 'directory' ? 'dir' : 'file'}${index > 0 ? `-${index}` : ''}${query && `?${query}`}`
  const media = { file: 'octet-stream', directory: 'x-directory', symlink: 'symlink' }[type]
  const disposition = `form-data; name="${field}"; filename="${encodeURIComponent(path)}"`
  return `Content-Disposition: ${disposition}\r\nContent-Type: application/${media}`
}

/** Cleans the path of an entry, tells its type, and leaves out what is not kept of it. @throws IpfsError `bad_argument` */
export function nameUpload(
  entry: IpfsUpload,
  { preserveMode, preserveMtime, mayNameTop }: Pick<UploadOptions, 'preserveMode' | 'preserveMtime' | 'mayNameTop'>,
): NamedUpload {
  const { path = '', content, target } = entry
  const segments = path.split('/').filter((each) => each !== '' && each !== '.')
  const type = content !== undefined ? 'file' : target === undefined ? 'directory' : 'symlink'
  const isNamed = segments.length > 0 || type === 'file' || (mayNameTop && type === 'directory')
  if (segments.includes('..') || /\p{Cs}/u.test(path) || !isNamed) {
    throw new IpfsError('bad_argument', `expected a path without '..': ${JSON.stringify(path)}`)
  }
  return {
    ...entry,
    path: segments.join('/'),
    type,
    mode: preserveMode ? entry.mode : undefined,
    mtime: preserveMtime ? entry.mtime : undefined,
  }
}

/** Reads content as bytes, in pieces of a bounded size. @throws IpfsError `bad_argument` for content that is no bytes */
export async function* piecesOf(content: IpfsContent): AsyncGenerator<Uint8Array> {
  if (content instanceof Blob) {
    for (let at = 0; at < content.size; at += longestPiece) {
      yield new Uint8Array(await content.slice(at, at + longestPiece).arrayBuffer())
    }
  } else if (typeof content === 'string') yield* cut(encoder.encode(content))
  else if (content instanceof Uint8Array) yield* cut(content)
  else for await (const chunk of readable(content)) yield* cut(chunk)
}

function* cut(bytes: Uint8Array): Generator<Uint8Array> {
  if (!(bytes instanceof Uint8Array)) throw new IpfsError('bad_argument', 'expected content of Uint8Arrays')
  for (let at = 0; at < bytes.byteLength; at += longestPiece) yield bytes.subarray(at, at + longestPiece)
}

/** Makes content iterable: not every browser can iterate its streams. */
function readable(
  content: Exclude<IpfsContent, string | Uint8Array | Blob>,
): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  const source = Object(content) as object
  if (Symbol.asyncIterator in source || Symbol.iterator in source) return source as AsyncIterable<Uint8Array>
  if (!('getReader' in source)) return [content as never]
  return (async function* () {
    const reader = (content as ReadableStream<Uint8Array>).getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      void reader.cancel().catch(() => {})
    }
  })()
}

/** Returns the length of an entry's content in bytes, 0 if it has none; undefined if it is not known before the content is read. */
export function sizeOf({ content, size }: IpfsUpload): number | undefined {
  if (content === undefined) return 0
  if (typeof content === 'string') return encoder.encode(content).byteLength
  const { size: blobSize, byteLength = blobSize } = Object(content) as { size?: number; byteLength?: number }
  return byteLength ?? size
}
