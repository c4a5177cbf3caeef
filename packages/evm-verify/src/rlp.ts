import { bytesFromNumber, joinBytes } from './bytes.ts'

/** Bytes, or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes an item by the recursive length prefix. Source: Yellow Paper, appendix B. */
export function encodeRlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? item : joinBytes([prefix(0x80, item.length), item])
  }
  const body = joinBytes(item.map(encodeRlp))
  return joinBytes([prefix(0xc0, body.length), body])
}

function prefix(kind: 0x80 | 0xc0, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(kind + length)
  const size = bytesFromNumber(`0x${length.toString(16)}`)
  return Uint8Array.of(kind + 55 + size.length, ...size)
}
