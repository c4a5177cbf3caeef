import { keccak_256 } from '@noble/hashes/sha3.js'

/** Keccak-256, with the padding of before SHA-3: Ethereum's hash function. 32 bytes. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
