/** A place in a protobuf message. */
export interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

/** Bits 0 to 2: the wire type; the rest: the number of the field. */
export function readKey(cursor: Cursor): { readonly field: number; readonly wire: number } {
  const key = readVarint(cursor)
  return { field: Math.floor(key / 8), wire: key & 7 }
}

/** An unsigned number below 2^53. @throws RangeError beyond, or where the message ends */
export function readVarint(cursor: Cursor): number {
  const { bytes } = cursor
  let value = 0
  for (let factor = 1; ; factor *= 128) {
    const byte = bytes[cursor.at]
    if (byte === undefined) throw new RangeError('it ends within a number')
    cursor.at++
    value += (byte & 0x7f) * factor
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number beyond 2^53')
    if (byte < 0x80) return value
    if (factor >= 2 ** 63) throw new RangeError('a number of more than ten bytes')
  }
}

/** An unsigned number of 64 bits. @throws RangeError beyond, or where the message ends */
export function readVarint64(cursor: Cursor): bigint {
  const start = cursor.at
  try {
    return BigInt(readVarint(cursor))
  } catch {
    cursor.at = start
  }
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) throw new RangeError('it ends within a number')
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) {
      if (value >> 64n !== 0n) break
      return value
    }
  }
  throw new RangeError('a number beyond 2^64')
}

/** Bytes with their length before them: where they begin, and how many. The cursor is behind them then. */
export function readSpan(cursor: Cursor): { readonly start: number; readonly length: number } {
  const length = readVarint(cursor)
  const start = cursor.at
  if (length > cursor.bytes.length - start) throw new RangeError('it ends within a field')
  cursor.at = start + length
  return { start, length }
}

/** Passes over a field that the reader does not know. */
export function skipField(cursor: Cursor, wire: number): void {
  if (wire === 0) readVarint64(cursor)
  else if (wire === 2) readSpan(cursor)
  else if (wire === 1 || wire === 5) {
    cursor.at += wire === 1 ? 8 : 4
    if (cursor.at > cursor.bytes.length) throw new RangeError('it ends within a field')
  } else throw new RangeError(`a field of wire type ${wire}`)
}
