import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'

/** A block as an archive holds it, unchecked. */
export interface CarSection {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/** Blocks go to 2 MiB between hosts. */
export const mostBlockBytes: number = 1 << 22

/** The blocks of a CARv1 as they come. @throws IpfsError `invalid_response`, `truncated`, `too_large` */
export async function* carSections(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<CarSection> {
  // What of the archive came and is not yet read, and how much must be there before reading goes on.
  let parts: Uint8Array[] = []
  let have = 0
  let need = 1
  let isHeader = true
  for await (const chunk of chunks) {
    parts.push(chunk)
    have += chunk.byteLength
    if (have < need) continue
    let held = joined(parts, have)
    for (;;) {
      const { start, end } = frameIn(held)
      need = end
      if (held.byteLength < end) break
      // The roots say nothing that the reader does not know already.
      if (!isHeader) yield sectionOf(held.subarray(start, end))
      isHeader = false
      held = held.subarray(end)
    }
    parts = [held]
    have = held.byteLength
  }
  if (have > 0) throw new IpfsError('truncated', 'the archive of blocks ended within a block: retry')
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.byteLength
  }
  return all
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
