import type { ByteStream } from '../../backend.ts'
import { IpfsError } from '../../error.ts'

/** Takes a stream apart. Every method throws `bad_content` where it ends before. */
export interface ByteReader {
  /** How many bytes were taken. */
  readonly position: bigint
  /** Exactly so many; they may be a view of what the stream gave. */
  take(length: number, what: string): Promise<Uint8Array>
  /** An unsigned number in base 128; undefined: the stream has ended before it. @throws IpfsError `bad_content` */
  varint(what: string): Promise<number | undefined>
  skip(length: bigint, what: string): Promise<void>
  /** Leaves the stream. */
  close(): Promise<void>
}

/** A number of more bytes is none of a length or a code. */
const mostVarint = 7

export function createByteReader(stream: ByteStream): ByteReader {
  const iterator = stream[Symbol.asyncIterator]()
  let chunk: Uint8Array = new Uint8Array(0)
  let position = 0n

  const more = async (): Promise<boolean> => {
    while (chunk.length === 0) {
      const { done, value } = await iterator.next()
      if (done === true) return false
      chunk = value
    }
    return true
  }
  const cut = (most: number): Uint8Array => {
    const part = chunk.subarray(0, most)
    chunk = chunk.subarray(part.length)
    position += BigInt(part.length)
    return part
  }
  const ended = (what: string): IpfsError => new IpfsError('bad_content', `the archive ends within ${what}`)

  return {
    get position() {
      return position
    },
    async take(length, what) {
      if (chunk.length >= length) return cut(length)
      const whole = new Uint8Array(length)
      for (let filled = 0; filled < length;) {
        if (!(await more())) throw ended(what)
        const part = cut(length - filled)
        whole.set(part, filled)
        filled += part.length
      }
      return whole
    },
    async varint(what) {
      let value = 0
      for (let index = 0; index < mostVarint; index++) {
        if (!(await more())) {
          if (index === 0) return undefined
          throw ended(what)
        }
        const byte = cut(1)[0] as number
        value += (byte & 0x7f) * 128 ** index
        if (byte >= 0x80) continue
        if (byte === 0 && index > 0) throw new IpfsError('bad_content', `${what} is not in its shortest form`)
        return value
      }
      throw new IpfsError('bad_content', `${what} is beyond 2^49`)
    },
    async skip(length, what) {
      for (let left = length; left > 0n;) {
        if (!(await more())) throw ended(what)
        left -= BigInt(cut(left < 2n ** 31n ? Number(left) : 2 ** 31).length)
      }
    },
    async close() {
      await iterator.return?.()
    },
  }
}
