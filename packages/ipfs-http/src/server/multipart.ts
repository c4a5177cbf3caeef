import type { ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { refusal } from './refusal.ts'

/** One part of a multipart body. What of its content was not read is skipped when the next part is asked for. */
export interface Part {
  /** By lower-case names; the first of a name counts. */
  readonly headers: ReadonlyMap<string, string>
  readonly content: ByteStream
}

export interface MultipartOptions {
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
 * The parameter `boundary` of a `Content-Type`. undefined: that is no `multipart/form-data`. Throws a 400 where it
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
 * Splits a multipart body (RFC 2046 §5.1) as it arrives, and holds one chunk of it. Throws `bad_content` where it ends
 * before its last boundary, `too_large` beyond a cap.
 */
export async function* readParts(body: ByteStream, options: MultipartOptions): AsyncGenerator<Part, void, undefined> {
  const source = body[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\r\n--${options.boundary}`, 'latin1')
  // The first boundary may begin the body; every other one follows a line end.
  let held: Buffer = lineEnd
  let isOpen = true
  let parts = 0

  async function more(): Promise<void> {
    const { done, value } = await source.next()
    if (done === true) {
      throw new IpfsError('bad_content', 'unexpected EOF: the multipart body ended before its last boundary')
    }
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
  }

  /** What comes before the next delimiter, which it takes away. */
  async function* untilDelimiter(): AsyncGenerator<Uint8Array, void, undefined> {
    while (isOpen) {
      const at = held.indexOf(delimiter)
      const end = at < 0 ? held.length - begunAtEnd(held, delimiter) : at
      const bytes = held.subarray(0, end)
      held = held.subarray(at < 0 ? end : at + delimiter.length)
      isOpen = at < 0
      if (bytes.length > 0) yield bytes
      if (isOpen) await more()
    }
  }

  /** The text before `end`, which it leaves. */
  async function textBefore(end: Buffer): Promise<string> {
    for (let searched = 0; ;) {
      const at = held.indexOf(end, searched)
      if (Math.max(at, searched) > options.maxHeaderBytes) {
        throw new IpfsError('too_large', `the header of a part may have ${options.maxHeaderBytes} bytes`)
      }
      if (at >= 0) {
        const text = held.toString('utf8', 0, at)
        held = held.subarray(at)
        return text
      }
      searched = Math.max(0, held.length - end.length + 1)
      await more()
    }
  }

  async function skipOpen(): Promise<void> {
    const rest = untilDelimiter()
    while ((await rest.next()).done !== true);
  }

  try {
    await skipOpen()
    for (;;) {
      while (held.length < 2) await more()
      if (held[0] === dash && held[1] === dash) break
      if ((await textBefore(lineEnd)).trim() !== '') {
        throw new IpfsError('bad_content', 'a line of the multipart body goes on after its boundary')
      }
      if (++parts > options.maxParts) throw new IpfsError('too_large', `an upload may have ${options.maxParts} parts`)
      const headers = headersOf(await textBefore(headerEnd))
      // Where nothing is in a part, the end of its header may be the line end before the boundary.
      held = held.subarray(lineEnd.length)
      while (held.length < delimiter.length && begunAtEnd(held, delimiter) === held.length) await more()
      if (!held.subarray(0, delimiter.length).equals(delimiter)) held = held.subarray(lineEnd.length)
      isOpen = true
      yield { headers, content: untilDelimiter() }
      await skipOpen()
    }
    // What follows the last boundary means nothing, and is taken, so that the caller can read the answer.
    while ((await source.next()).done !== true);
  } finally {
    await source.return?.()
  }
}

/** How many bytes at the end can be the beginning of the delimiter, whose only carriage return is its first byte. */
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
