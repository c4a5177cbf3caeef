import { utf8ToBytes } from '@noble/hashes/utils.js'
import { assertValid, is, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { Hash, Hex } from './data.ts'
import { keccak256, keccak256OfHex } from './keccak.ts'
import { encodeMappingKey, type MappingKey } from './mapping-key.ts'
import { toWord, wordLimit } from './word.ts'

/** A storage position: a number, or up to 32 bytes in hex. */
export type Slot = bigint | number | Hex

/** The place of a value smaller than a slot: `size` bytes, `offset` bytes from the low end. */
export interface StoragePlace {
  /** 32 bytes. */
  readonly slot: Hash
  readonly offset: number
  readonly size: number
}

/**
 * The position of a mapping's element. For nested mappings pass several keys, the outermost first.
 * Source: Spec §4.2, Solidity's storage layout.
 * @throws SchemaError for a slot or key of no known form.
 */
export function mappingSlot(slot: Slot, ...keys: readonly [MappingKey, ...MappingKey[]]): Hash {
  return keys.reduce<Hash>((position, key) => keccak256OfHex(encodeMappingKey(key), position), toSlot(slot))
}

/**
 * The position of a dynamic array's element, of elements that take `elementSlots` whole slots each; with more than 32
 * bytes, the position of slot `index` of a `string` or `bytes`. Length: at `slot` itself.
 */
export function arraySlot(slot: Slot, index: bigint | number, elementSlots: bigint | number = 1): Hash {
  return fixedArraySlot(keccak256OfHex(toSlot(slot)), index, elementSlots)
}

/** The position of a fixed array's element, of elements that take `elementSlots` whole slots each. */
export function fixedArraySlot(slot: Slot, index: bigint | number, elementSlots: bigint | number = 1): Hash {
  return memberSlot(slot, count(index, 'index') * count(elementSlots, 'elementSlots'))
}

/** The position `distance` slots further: a struct's member, or the next variable. Wraps at 2^256. */
export function memberSlot(slot: Slot, distance: bigint | number): Hash {
  return toWord((BigInt(toSlot(slot)) + count(distance, 'distance')) % wordLimit)
}

/**
 * The place of an element of `size` bytes, at most 16, in an array that packs several into a slot. `start` is the
 * array's first slot: `arraySlot(slot, 0)` of a dynamic array, the slot itself of a fixed one.
 */
export function packedPlace(start: Slot, index: bigint | number, size: number): StoragePlace {
  assertValid<number>(packedSize, size, 'size')
  const each = BigInt(Math.floor(32 / size))
  const position = count(index, 'index')
  return { slot: memberSlot(start, position / each), offset: Number(position % each) * size, size }
}

/** The position of a namespace of storage, such as `openzeppelin.storage.ERC20`. Source: ERC-7201. */
export function erc7201Slot(namespace: string): Hash {
  const inner = BigInt(keccak256(utf8ToBytes(namespace))) - 1n
  const outer = BigInt(keccak256OfHex(toWord(inner)))
  return toWord(outer - (outer % 256n))
}

/** The position of a proxy's implementation, beacon or admin address. Source: ERC-1967. */
export function erc1967Slot(name: 'implementation' | 'beacon' | 'admin'): Hash {
  return toWord(BigInt(keccak256(utf8ToBytes(`eip1967.proxy.${name}`))) - 1n)
}

const packedSize: Schema<number> = /*#__PURE__*/ is(
  'an integer from 1 to 16: the bytes of an element',
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 16,
)

function toSlot(slot: Slot): Hash {
  return toWord(slot, 'slot')
}

function count(value: bigint | number, subject: string): bigint {
  return BigInt(toWord(value, subject))
}
