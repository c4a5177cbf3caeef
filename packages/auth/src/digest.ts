import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** Returns the lower-case hex SHA-256 of a text's UTF-8 bytes. */
export type Digest = (text: string) => string

/** Hex digits of a key's digest that name it: enough to tell keys apart, too few to confirm a guess of a random one. */
export const keyIdLength = 8

/** {@link Digest} in plain JavaScript, for browsers too; in Node pass one over `node:crypto`. */
export const sha256Hex: Digest = (text) => bytesToHex(sha256(utf8ToBytes(text)))

/** Compares two digests in a time that depends on their lengths alone. */
export function sameDigest(a: string, b: string): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i)
  return difference === 0
}

/** Tells whether a text is a {@link Digest}'s: 64 lower-case hex digits. */
export function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
