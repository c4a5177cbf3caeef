import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { assertValid } from '@wayleave/jsonrpc-core/schema'
import { dataSchema, type Hex, isHex } from './data.ts'
import { mismatch, toWord, wordLimit } from './word.ts'

/**
 * A key of a mapping, by its Solidity type: a number for `uintN`, `intN` and enums; a boolean for `bool`; 20 bytes of hex
 * for `address` and contracts; 32 bytes of hex for `bytes32`. The other types are named: `bytesN` as `fixedBytes`, and
 * `string` and `bytes`, which are hashed unpadded.
 */
export type MappingKey =
  | bigint
  | number
  | boolean
  | Hex
  | { readonly string: string }
  | { readonly bytes: Hex }
  | { readonly fixedBytes: Hex }

/** The bytes that are hashed for a key. @throws SchemaError for a key of no known form. */
export function encodeMappingKey(key: MappingKey): Hex {
  if (typeof key === 'boolean') return toWord(key ? 1n : 0n)
  if (typeof key === 'bigint' || typeof key === 'number') return encodeInteger(key)
  if (typeof key === 'string') {
    if (isHex(key, 40, 40) || isHex(key, 64, 64)) return toWord(key)
    throw mismatch('key', 'hex of 20 bytes (an address) or of 32; others as { string }, { bytes }, { fixedBytes }', key)
  }
  if ('string' in key) return `0x${bytesToHex(utf8ToBytes(key.string))}`
  if ('bytes' in key) {
    assertValid<Hex>(dataSchema, key.bytes, 'key.bytes')
    return key.bytes
  }
  if (!isHex(key.fixedBytes, 2, 64) || key.fixedBytes.length % 2 !== 0)
    throw mismatch('key.fixedBytes', 'hex of 1 to 32 bytes', key.fixedBytes)
  return `0x${key.fixedBytes.slice(2).padEnd(64, '0')}`
}

/** Negative numbers become their two's complement, as `intN`. */
function encodeInteger(value: bigint | number): Hex {
  const integer = typeof value === 'number' && !Number.isSafeInteger(value) ? wordLimit : BigInt(value)
  if (integer >= wordLimit || integer < -(wordLimit / 2n))
    throw mismatch('key', 'an integer of at most 256 bits, beyond 2^53 - 1 a bigint', value)
  return toWord(integer < 0n ? integer + wordLimit : integer)
}
