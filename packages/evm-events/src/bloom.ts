import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/** The three bits that an address or a topic sets in a bloom filter of logs, from 0 to 2,047. */
export type BloomBits = readonly [number, number, number]

/** The bits of an address or a topic in lower-case hex. Source: Yellow Paper, 4.3.1. */
export function bloomBits(value: string): BloomBits {
  const hash = keccak_256(hexToBytes(value.slice(2)))
  const bit = (i: number): number => (hash[i]! * 256 + hash[i + 1]!) % 2048
  return [bit(0), bit(2), bit(4)]
}

/** Reads the bloom filter of a header; undefined where it is not 256 bytes in hex. */
export function parseBloom(logsBloom: unknown): Uint8Array | undefined {
  if (typeof logsBloom !== 'string' || !/^0x[\da-f]{512}$/i.test(logsBloom)) return undefined
  return hexToBytes(logsBloom.slice(2))
}

/** Tells whether all three bits are set. */
export function hasBits(bloom: Uint8Array, bits: BloomBits): boolean {
  return bits.every((bit) => (bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) !== 0)
}

/** Tells whether no bit is set: each log sets some. */
export function isEmptyBloom(bloom: Uint8Array): boolean {
  return bloom.every((byte) => byte === 0)
}
