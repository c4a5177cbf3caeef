import type { ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { refusal } from './refusal.ts'

/** One part of a multipart body. Content that was not read is skipped when the next part is asked for. */
export interface Part {
  /** By lower-case names; the first of a name counts. */
  readonly headers: ReadonlyMap<string, string>
  readonly content: ByteStream
}

interface MultipartOptions {
  readonly boundary: string
  /** Most parts. */
  readonly maxParts: number
  /** Longest header of a part, in bytes. */
  readonly maxHeaderBytes: number
}

const lineEnd = Buffer.from('\r\n')
const headerEnd = Buffer.from('\r\n\r\n')
const carriageReturn = 0x0d
const dash = 0x2d

/**
 * The parameter `boundary` of a `Content-Type`; undefined if that is no `multipart/form-data`. Throws a 400 if it
 * names no boundary.
 */
export function boundaryOf(contentType: string | undefined): string | undefined {
  if (contentType === undefined || !/^\s*multipart\/form-data\s*(;|$)/i.test(contentType)) return undefined
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"\r\n]{1,200})"|([^\s;"]{1,200})(?=\s*(?:;|$)))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw refusal(400, 'no multipart boundary param in Content-Type\n')
  return boundary
}

/**
 * Splits a multipart body (RFC 2046 §5.1) as it arrives, and holds one chunk of it. Throws `bad_content` if it ends
 * before its last boundary, `too_large` beyond a cap.
 */
export async function* readParts(body: ByteStream, options: MultipartOptions): AsyncGenerator<Part, void, undefined> {
  const { boundary, maxParts, maxHeaderBytes } = options
  const reader = createReader(body, Buffer.from(`\r\n--${boundary}`, 'latin1'), maxHeaderBytes)
  try {
    for (let parts = 1; ; parts++) {
      await reader.skipContent()
      if (await reader.atLastBoundary()) break
      if ((await reader.textBefore(lineEnd)).trim() !== '') {
        throw new IpfsError('bad_content', 'a line of the multipart body goes on after its boundary')
      }
      if (parts > maxParts) throw new IpfsError('too_large', `an upload may have ${maxParts} parts`)
      const headers = headersOf(await reader.textBefore(headerEnd))
      await reader.beginContent()
      yield { headers, content: reader.content() }
    }
    await reader.skipEpilogue()
  } finally {
    await reader.close()
  }
}

/** Reads a multipart body piece by piece. At first it is in the content before the first boundary. */
interface Reader {
  /** Takes the bytes before the next boundary, and the boundary. Yields nothing more after that. */
  content(): AsyncGenerator<Uint8Array, void, undefined>
  skipContent(): Promise<void>
  /** Looks behind a boundary. True if it was the last one. */
  atLastBoundary(): Promise<boolean>
  /** Takes the text before `end`. Throws `too_large` beyond the cap of a header. */
  textBefore(end: Buffer): Promise<string>
  /** Takes the end of a header, once `textBefore` has taken its text. */
  beginContent(): Promise<void>
  skipEpilogue(): Promise<void>
  close(): Promise<void>
}

function createReader(body: ByteStream, delimiter: Buffer, maxHeaderBytes: number): Reader {
  const source = body[Symbol.asyncIterator]()
  /** Bytes that have come and not been taken. The first boundary may begin the body; every other one follows a line end. */
  let held: Buffer = lineEnd
  let isInContent = true

  async function more(): Promise<void> {
    const { done, value } = await source.next()
    if (done === true) {
      throw new IpfsError('bad_content', 'unexpected EOF: the multipart body ended before its last boundary')
    }
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
  }

  async function* content(): AsyncGenerator<Uint8Array, void, undefined> {
    while (isInContent) {
      const at = held.indexOf(delimiter)
      const end = at < 0 ? held.length - begunAtEnd(held, delimiter) : at
      const bytes = held.subarray(0, end)
      held = held.subarray(at < 0 ? end : at + delimiter.length)
      isInContent = at < 0
      if (bytes.length > 0) yield bytes
      if (isInContent) await more()
    }
  }

  return {
    content,
    async skipContent() {
      if (isInContent) for await (const _ of content()) continue
    },
    async atLastBoundary() {
      while (held.length < 2) await more()
      return held[0] === dash && held[1] === dash
    },
    async textBefore(end) {
      for (let searched = 0; ;) {
        const at = held.indexOf(end, searched)
        if (Math.max(at, searched) > maxHeaderBytes) {
          throw new IpfsError('too_large', `the header of a part may have ${maxHeaderBytes} bytes`)
        }
        if (at >= 0) {
          const text = held.toString('utf8', 0, at)
          held = held.subarray(at)
          return text
        }
        searched = Math.max(0, held.length - end.length + 1)
        await more()
      }
    },
    async beginContent() {
      held = held.subarray(lineEnd.length)
      // In an empty part, the end of the header may be the line end of the boundary.
      while (held.length < delimiter.length && begunAtEnd(held, delimiter) === held.length) await more()
      if (!held.subarray(0, delimiter.length).equals(delimiter)) held = held.subarray(lineEnd.length)
      isInContent = true
    },
    async skipEpilogue() {
      // The rest means nothing, and is read so that the caller can read the answer.
      while ((await source.next()).done !== true);
    },
    async close() {
      await source.return?.()
    },
  }
}

/** Counts the bytes at the end that may begin the delimiter, whose only carriage return is its first byte. */
function begunAtEnd(bytes: Buffer, delimiter: Buffer): number {
  const tail = bytes.subarray(Math.max(0, bytes.length - delimiter.length + 1))
  const at = tail.lastIndexOf(carriageReturn)
  if (at < 0) return 0
  const length = tail.length - at
  return tail.subarray(at).equals(delimiter.subarray(0, length)) ? length : 0
}

function headersOf(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  // A line that begins with a space goes on with the one before (RFC 822 §3.1.1).
  for (const line of text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}
