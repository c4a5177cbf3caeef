import { passed } from '#passed'
import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'

/** A block as an archive holds it, unchecked. */
export interface CarSection {
  readonly cid: CID
  /** A view of what came with it. */
  readonly bytes: Uint8Array
}

/** Blocks go to 2 MiB between hosts. */
export const mostBlockBytes: number = 1 << 22

/** The blocks of a CARv1 as they come. @throws IpfsError `invalid_response`, `truncated`, `too_large` */
export async function* carSections(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CarSection> {
  const tail = createTail()
  let isHeader = true
  for await (const chunk of chunks) {
    let held = tail.add(chunk)
    for (;;) {
      const { start, end } = frameIn(held)
      if (held.byteLength < end) {
        tail.keep(held, end)
        break
      }
      // The roots say nothing that the reader does not know already.
      if (!isHeader) yield sectionOf(held.subarray(start, end))
      isHeader = false
      held = held.subarray(end)
    }
  }
  if (tail.length > 0) throw new IpfsError('truncated', 'the archive of blocks ended within a block: retry')
}

/** What of a stream came and is not yet read, in one piece however small its chunks are. */
function createTail(): {
  readonly length: number
  add(chunk: Uint8Array): Uint8Array
  keep(rest: Uint8Array, need: number): void
} {
  let held: Uint8Array = new Uint8Array(0)
  /** Ours: behind what `held` shows of it, it is free. */
  let room: Uint8Array = held
  let most = 0
  return {
    get length() {
      return held.byteLength
    },
    add(chunk) {
      if (held.byteLength === 0) return chunk
      const length = held.byteLength + chunk.byteLength
      if (held.buffer !== room.buffer || held.byteOffset + length > room.byteLength) {
        room = new Uint8Array(Math.max(length, most))
        // A second copy of what came, which is garbage as soon.
        passed(room.byteLength)
        room.set(held)
        held = room.subarray(0, held.byteLength)
      }
      room.set(chunk, held.byteOffset + held.byteLength)
      return (held = room.subarray(held.byteOffset, held.byteOffset + length))
    },
    keep(rest, need) {
      held = rest
      most = need
    },
  }
}

/** Where the next frame lies; its end is beyond what is held where more must come. */
function frameIn(held: Uint8Array): { readonly start: number; readonly end: number } {
  let length = 0
  for (let at = 0; at < held.byteLength; at++) {
    const byte = held[at]!
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (length > mostBlockBytes + 1024 || at > 8) {
      throw new IpfsError('too_large', `expected blocks of at most ${mostBlockBytes} bytes`)
    }
    if (byte < 0x80) return { start: at + 1, end: at + 1 + length }
  }
  return { start: 0, end: held.byteLength + 1 }
}

function sectionOf(frame: Uint8Array): CarSection {
  try {
    const [cid, bytes] = CID.decodeFirst(frame)
    return { cid, bytes }
  } catch (cause) {
    throw new IpfsError('invalid_response', 'expected an archive of blocks (CARv1)', { cause })
  }
}
