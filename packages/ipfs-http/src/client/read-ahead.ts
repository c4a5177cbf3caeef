import { unlessAborted } from '../abortable.ts'
import type { IpfsUpload } from './client.ts'
import type { UploadLimits } from './split-upload.ts'
import type { piecesOf } from './upload-parts.ts'

/** The first entries of an upload, and their content as far as its size was unknown. */
interface Ahead {
  readonly held: readonly IpfsUpload[]
  /** Whether these are all entries. */
  readonly isWhole: boolean
  /** Whether there are more bytes than one request should have. */
  readonly isLarge: boolean
  /** The content behind what was read of the last entry, to be closed if nobody comes to it. */
  readonly rest?: AsyncIterator<Uint8Array> | undefined
}

/** Most bytes of content that are held. */
const mostHeldBytes = 8 << 20

/** Reads entries until all are known, or they turn out to be too much for one request. @throws IpfsError `aborted` */
export async function readAhead(
  entries: AsyncIterator<IpfsUpload> | Iterator<IpfsUpload>,
  { maxParts, maxRequestBytes, sizeOf }: UploadLimits,
  readPieces: typeof piecesOf,
  signal: AbortSignal,
): Promise<Ahead> {
  const held: IpfsUpload[] = []
  let bytes = 0
  let heldBytes = 0
  while (held.length <= maxParts) {
    const { done, value: upload } = await unlessAborted(Promise.resolve(entries.next()), signal)
    if (done) return { held, isWhole: true, isLarge: false }
    const size = sizeOf(upload)
    bytes += size ?? 0
    if (size !== undefined) held.push(upload)
    else {
      const { chunks, length, rest } = await readContent(readPieces(upload.content!), mostHeldBytes - heldBytes, signal)
      held.push(
        rest === undefined
          ? { ...upload, content: chunks, size: length }
          : { ...upload, content: resume(chunks, rest) },
      )
      bytes += length
      heldBytes += length
      if (rest !== undefined) return { held, isWhole: false, isLarge: true, rest }
    }
    if (bytes > maxRequestBytes) return { held, isWhole: false, isLarge: true }
  }
  return { held, isWhole: false, isLarge: false }
}

interface Content {
  readonly chunks: Uint8Array[]
  readonly length: number
  /** The content behind the chunks; undefined if they are all. */
  readonly rest: AsyncIterator<Uint8Array> | undefined
}

async function readContent(
  pieces: AsyncGenerator<Uint8Array>,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Content> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isOver = false
  try {
    while (length <= mostBytes) {
      const { done, value } = await unlessAborted(pieces.next(), signal)
      if (done) {
        isOver = true
        return { chunks, length, rest: undefined }
      }
      chunks.push(value)
      length += value.byteLength
    }
    isOver = true
    return { chunks, length, rest: pieces }
  } finally {
    if (!isOver) void pieces.return(undefined).catch(() => {})
  }
}

async function* resume(chunks: Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.(undefined)
  }
}
