/** A place in a protobuf message. */
export interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

/** Reads the key of a field: its wire type in bits 0 to 2, its number in the others. */
export function readKey(cursor: Cursor): { readonly field: number; readonly wire: number } {
  const key = readVarint(cursor)
  return { field: Math.floor(key / 8), wire: key & 7 }
}

/** Reads an unsigned number below 2^53. @throws RangeError beyond, or where the message ends */
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

/** Reads an unsigned number of 64 bits. @throws RangeError beyond, or where the message ends */
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

/** Finds bytes that have their length before them, and moves the cursor behind them. */
export function readSpan(cursor: Cursor): { readonly start: number; readonly length: number } {
  const length = readVarint(cursor)
  const start = cursor.at
  if (length > cursor.bytes.length - start) throw new RangeError('it ends within a field')
  cursor.at = start + length
  return { start, length }
}

/** Skips a field that the reader does not know. */
export function skipField(cursor: Cursor, wire: number): void {
  if (wire === 0) readVarint64(cursor)
  else if (wire === 2) readSpan(cursor)
  else if (wire === 1 || wire === 5) {
    cursor.at += wire === 1 ? 8 : 4
    if (cursor.at > cursor.bytes.length) throw new RangeError('it ends within a field')
  } else throw new RangeError(`a field of wire type ${wire}`)
}
