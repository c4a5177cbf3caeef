import { crc32 } from 'node:zlib'

/** An answer of a node, as processes share it: the shape of `KeptAnswer` of `rpc-cache`. */
export interface SharedAnswer {
  /** The JSON text of the result, or its bytes, encoded as `encoding` says. */
  readonly body: string | Uint8Array
  readonly encoding?: 'zstd' | undefined
  /** The length of the result in UTF-8 bytes. */
  readonly byteLength: number
  readonly isFinal: boolean
  /** The highest block that the answer depends on, and its hash. */
  readonly height?: number | undefined
  readonly hash?: string | undefined
  /** A word that is given back as it came. */
  readonly mark?: string | undefined
}

/** The members beside the body; those that are absent are left out. `text`: the body was a string. */
type Head = Omit<SharedAnswer, 'body'> & { readonly text?: true }

/** Begins what this version writes; another format gets another last digit. */
const sign = Buffer.from('WLA1')
/** The sign, the CRC-32 of all that follows it, and the length of the head. */
const prefixBytes = sign.byteLength + 4 + 2
const mostHeadBytes = 65_535

/** Writes an answer as one value; undefined where that is longer than `maxBytes`. */
export function encodeAnswer(answer: SharedAnswer, maxBytes: number): Buffer | undefined {
  const { body, encoding, byteLength, isFinal, height, hash, mark } = answer
  const text = typeof body === 'string' ? true : undefined
  const head = Buffer.from(
    JSON.stringify({ text, encoding, byteLength, isFinal, height, hash, mark } satisfies Head | object),
  )
  const bodyAt = prefixBytes + head.byteLength
  const length = bodyAt + (typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength)
  if (length > maxBytes || head.byteLength > mostHeadBytes) return undefined
  const value = Buffer.allocUnsafeSlow(length)
  value.set(sign)
  value.writeUInt16BE(head.byteLength, sign.byteLength + 4)
  value.set(head, prefixBytes)
  if (typeof body === 'string') value.write(body, bodyAt)
  else value.set(body, bodyAt)
  value.writeUInt32BE(crc32(value.subarray(sign.byteLength + 4)), sign.byteLength)
  return value
}

/** Reads a value. Undefined where it is not what {@link encodeAnswer} wrote: foreign, of another version, cut short or damaged. */
export function decodeAnswer(value: Buffer): SharedAnswer | undefined {
  if (value.byteLength < prefixBytes || !value.subarray(0, sign.byteLength).equals(sign)) return undefined
  if (crc32(value.subarray(sign.byteLength + 4)) !== value.readUInt32BE(sign.byteLength)) return undefined
  const bodyAt = prefixBytes + value.readUInt16BE(sign.byteLength + 4)
  const head = headOf(value.toString('utf8', prefixBytes, bodyAt))
  if (head === undefined) return undefined
  const { text, ...members } = head
  const bytes = value.subarray(bodyAt)
  // A copy: the bytes lie in a larger buffer of the socket, which would live as long as they do.
  return { ...members, body: text === true ? bytes.toString() : new Uint8Array(bytes) }
}

function headOf(json: string): Head | undefined {
  let head: Partial<Record<keyof Head, unknown>>
  try {
    head = JSON.parse(json) as typeof head
  } catch {
    return undefined
  }
  const isRight =
    typeof head === 'object' &&
    head !== null &&
    isCount(head.byteLength) &&
    typeof head.isFinal === 'boolean' &&
    (head.encoding === undefined || head.encoding === 'zstd') &&
    (head.height === undefined || isCount(head.height)) &&
    [head.hash, head.mark].every((word) => word === undefined || typeof word === 'string')
  return isRight ? (head as Head) : undefined
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0
