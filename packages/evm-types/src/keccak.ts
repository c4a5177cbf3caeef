import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Hash, Hex } from './data.ts'

/** The Keccak-256 hash of some bytes. */
export function keccak256(bytes: Uint8Array): Hash {
  return `0x${bytesToHex(keccak_256(bytes))}`
}

/** The Keccak-256 hash of bytes in hex, one after the other; each with an even count of digits. */
export function keccak256OfHex(...parts: readonly Hex[]): Hash {
  return keccak256(concatBytes(...parts.map((part) => hexToBytes(part.slice(2)))))
}
