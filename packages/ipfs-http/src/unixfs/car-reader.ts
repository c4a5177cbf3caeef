import { CID } from 'multiformats/cid'
import type { ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'

/** Reads an archive of blocks (CARv1, or the parts of a CARv2) as its bytes come. Source: IPLD, CAR. */
export interface CarReader {
  /** The number of bytes that were taken. */
  readonly position: bigint
  /** Takes the bytes of a header; undefined where the stream is empty. @throws IpfsError `too_large`, and those of the caps */
  header(): Promise<Uint8Array | undefined>
  /**
   * Takes the next block; undefined where there is none. `end` is the position at which the blocks end, where that is
   * not the end of the stream.
   * @throws IpfsError `too_large`, and those of the caps
   */
  section(end?: bigint): Promise<CarSection | undefined>
  /** Takes exactly `length` bytes. They may be a view of a chunk of the stream. */
  take(length: number, what: string): Promise<Uint8Array>
  /** Passes over `length` bytes. */
  skip(length: bigint, what: string): Promise<void>
  /** Leaves the stream. */
  close(): Promise<void>
}

/** A block as an archive holds it, not checked against its CID. */
export interface CarSection {
  readonly cid: CID
  /** May be a view of a chunk of the stream. */
  readonly bytes: Uint8Array
}

/** Bounds in bytes for what is read, which each use sets for itself, and its errors. */
export interface CarCaps {
  readonly headerBytes: number
  readonly blockBytes: number
  /** The longest CID of a block. One that holds content instead of a hash may be longer than others. */
  readonly cidBytes: number
  /** The error for an archive that breaks the format. */
  readonly invalid: (reason: string, cause?: unknown) => IpfsError
  /** The error for a stream that ends within `what`. */
  readonly truncated: (what: string) => IpfsError
  /** Called with the length of bytes that had to be copied, because they came in several chunks. */
  readonly onCopy?: (bytes: number) => void
}

/** The most bytes of a length: it is below 2^49. */
const mostVarintBytes = 7

/** Starts to read `stream`. */
export function createCarReader(stream: ByteStream, caps: CarCaps): CarReader {
  const { blockBytes, headerBytes, invalid, truncated } = caps
  const iterator = stream[Symbol.asyncIterator]()
  /** The part of the last chunk that was not taken. */
  let chunk: Uint8Array = new Uint8Array(0)
  let position = 0

  /** Waits for bytes. False: the stream has ended. */
  async function fill(): Promise<boolean> {
    while (chunk.length === 0) {
      const { done, value } = await iterator.next()
      if (done === true) return false
      chunk = value
    }
    return true
  }

  /** Takes `most` bytes of the chunk, or all that it has. */
  function cut(most: number): Uint8Array {
    const part = chunk.subarray(0, most)
    chunk = chunk.subarray(part.length)
    position += part.length
    return part
  }

  async function take(length: number, what: string): Promise<Uint8Array> {
    if (chunk.length >= length) return cut(length)
    const whole = new Uint8Array(length)
    caps.onCopy?.(length)
    for (let filled = 0; filled < length;) {
      if (!(await fill())) throw truncated(what)
      const part = cut(length - filled)
      whole.set(part, filled)
      filled += part.length
    }
    return whole
  }

  /** Takes an unsigned number in base 128; undefined where the stream has ended before it. */
  async function varint(what: string): Promise<number | undefined> {
    let value = 0
    for (let index = 0; index < mostVarintBytes; index++) {
      if (chunk.length === 0 && !(await fill())) {
        if (index === 0) return undefined
        throw truncated(what)
      }
      const byte = cut(1)[0]!
      value += (byte & 0x7f) * 128 ** index
      if (byte >= 0x80) continue
      if (byte === 0 && index > 0) throw invalid(`${what} is not in its shortest form`)
      return value
    }
    throw invalid(`${what} is beyond 2^49`)
  }

  return {
    get position() {
      return BigInt(position)
    },
    take,
    async header() {
      const length = await varint('its header')
      if (length === undefined) return undefined
      if (length <= headerBytes) return take(length, 'its header')
      throw new IpfsError('too_large', `expected a CAR whose header has at most ${headerBytes} bytes, came ${length}`)
    },
    async section(end) {
      if (end !== undefined && position >= end) {
        if (position > end) throw invalid('a block of this CARv2 goes beyond their end')
        return undefined
      }
      const length = await varint('the length of a block')
      if (length === undefined) {
        if (end !== undefined) throw invalid('the archive ends before its last block')
        return undefined
      }
      if (length > blockBytes + caps.cidBytes) throw tooLarge(blockBytes, `one of ${length}`)
      const [cid, bytes] = splitSection(await take(length, 'a block'), caps)
      if (bytes.length > blockBytes) throw tooLarge(blockBytes, `${cid} of ${bytes.length}`)
      return { cid, bytes }
    },
    async skip(length, what) {
      for (let left = length; left > 0n;) {
        if (!(await fill())) throw truncated(what)
        left -= BigInt(cut(left < 2n ** 31n ? Number(left) : 2 ** 31).length)
      }
    },
    async close() {
      await iterator.return?.()
    },
  }
}

function splitSection(section: Uint8Array, { cidBytes, invalid }: CarCaps): [CID, Uint8Array] {
  try {
    const parts = CID.decodeFirst(section)
    if (section.length - parts[1].length > cidBytes) throw new RangeError('its CID is too long')
    return parts
  } catch (cause) {
    throw invalid(`a block of the archive has no CID: ${(cause as Error).message}`, cause)
  }
}

function tooLarge(most: number, came: string): IpfsError {
  return new IpfsError('too_large', `expected blocks of at most ${most} bytes, came ${came}`)
}
