import {
  bytesSlots,
  type Hex,
  readAddress,
  readBool,
  readBytes,
  readFixedBytes,
  readInt,
  readString,
  readUint,
  type Slot,
} from '@wayleave/evm-types'
import { UsageError } from './command.ts'

/** The place of a value in storage: its slot, and its distance in bytes from the slot's low end. */
export interface Place {
  readonly slot: Slot
  readonly offset: number
}

/** Returns how many bytes a value of a Solidity type takes in a slot. @throws UsageError that names the `flag` with the type */
export function sizeOf(type: string, flag: string = '--type'): number {
  if (type === 'bool') return 1
  if (type === 'address') return 20
  if (type === 'string' || type === 'bytes') return 32
  const [, kind, digits] = /^(u?int|bytes)(\d+)?$/.exec(type) ?? []
  const size = kind === 'bytes' ? Number(digits) : Number(digits ?? 256) / 8
  if (kind !== undefined && Number.isInteger(size) && size >= 1 && size <= 32) return size
  throw new UsageError(`${flag}: expected uintN, intN, bytesN, bool, address, string or bytes; got "${type}"`)
}

/**
 * Reads the value of a type at a place, word by word, and prints it as Solidity writes it.
 * @throws UsageError for an impossible type or offset, SchemaError for words that hold no such value.
 */
export async function readValueAt(
  { slot, offset }: Place,
  type: string,
  read: (slot: Slot) => Promise<Hex>,
): Promise<string> {
  const size = sizeOf(type)
  if (offset + size > 32) throw new UsageError(`--offset: ${type} takes ${size} of a slot's 32 bytes; got ${offset}`)
  const word = await read(slot)
  if (type === 'string' || type === 'bytes') {
    const words = await Promise.all(bytesSlots(slot, word).map(read))
    return type === 'string' ? readString(word, words) : readBytes(word, words)
  }
  if (type === 'bool') return String(readBool(word, { offset }))
  if (type === 'address') return readAddress(word, { offset })
  if (type.startsWith('uint')) return String(readUint(word, { offset, size }))
  if (type.startsWith('int')) return String(readInt(word, { offset, size }))
  // Solidity aligns bytesN within its own N bytes; alone in a slot, those are the low end.
  return readFixedBytes(word, { offset, size })
}
