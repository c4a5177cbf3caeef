/** Bytes, or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes an item by the recursive length prefix. Source: Yellow Paper, appendix B. */
export function encodeRlp(item: RlpItem): Uint8Array {
  const bytes = new Uint8Array(rlpLength(item))
  writeItem(item, bytes, 0)
  return bytes
}

/** How many bytes {@link encodeRlp} gives. */
export function rlpLength(item: RlpItem): number {
  if (item instanceof Uint8Array) return isBare(item) ? 1 : withPrefix(item.length)
  return withPrefix(bodyLength(item))
}

/** How many bytes an item has whose contents have `length`. */
export function withPrefix(length: number): number {
  return 1 + (length < 56 ? 0 : sizeOf(length)) + length
}

/** Writes what comes before contents of `length`; returns where they go. */
function writePrefix(kind: 0x80 | 0xc0, length: number, bytes: Uint8Array, at: number): number {
  if (length < 56) {
    bytes[at] = kind + length
    return at + 1
  }
  const size = sizeOf(length)
  bytes[at] = kind + 55 + size
  let rest = length
  for (let i = size; i > 0; i--) {
    bytes[at + i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return at + 1 + size
}

function writeItem(item: RlpItem, bytes: Uint8Array, at: number): number {
  if (item instanceof Uint8Array) {
    const start = isBare(item) ? at : writePrefix(0x80, item.length, bytes, at)
    bytes.set(item, start)
    return start + item.length
  }
  let end = writePrefix(0xc0, bodyLength(item), bytes, at)
  for (const part of item) end = writeItem(part, bytes, end)
  return end
}

function bodyLength(list: readonly RlpItem[]): number {
  let length = 0
  for (const part of list) length += rlpLength(part)
  return length
}

/** A byte that stands for itself. */
function isBare(string: Uint8Array): boolean {
  return string.length === 1 && string[0]! < 0x80
}

function sizeOf(length: number): number {
  let size = 1
  for (let rest = length; rest > 255; rest = Math.floor(rest / 256)) size++
  return size
}
