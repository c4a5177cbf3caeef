import type { CID } from 'multiformats/cid'

/** Writes the header of an archive with one root. Source: CARv1 specification; the header is dag-cbor. */
export function carHeader({ bytes }: CID): Uint8Array {
  // {"roots": [<tag 42, a byte string that begins with 0>], "version": 1}
  const header = [0xa2, ...text('roots'), 0x81, 0xd8, 0x2a, 0x58, bytes.length + 1, 0, ...bytes, ...text('version'), 1]
  return Uint8Array.from([...varint(header.length), ...header])
}

/** Writes what comes before the bytes of a block in an archive: the length of both, and the CID. */
export function sectionHead({ bytes }: CID, blockLength: number): Uint8Array {
  const length = varint(bytes.length + blockLength)
  const head = new Uint8Array(length.length + bytes.length)
  head.set(length)
  head.set(bytes, length.length)
  return head
}

function text(word: string): number[] {
  return [0x60 + word.length, ...new TextEncoder().encode(word)]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return [...bytes, rest]
}
