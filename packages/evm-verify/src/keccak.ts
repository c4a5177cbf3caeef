import { keccak_256 } from '@noble/hashes/sha3.js'

/** Keccak-256, Ethereum's hash function, with the padding from before SHA-3. 32 bytes. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}
