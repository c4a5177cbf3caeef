import { buzhashTable } from './chunkers-buzhash-table.ts'

const leastBytes = 128 * 1024
const windowBytes = 32
const mask = 2 ** 17 - 1

/** The longest chunk, in bytes. Source: boxo, `chunker`. */
export const buzhashMost: number = 512 * 1024

/** Finds where a chunk ends: where the hash of the last 32 bytes ends in 17 zero bits. Source: boxo, `chunker`. */
export function buzhashCut(bytes: Uint8Array): number {
  if (bytes.length <= leastBytes) return bytes.length
  let hash = 0
  for (let at = leastBytes - windowBytes; at < leastBytes; at++) hash = turn(hash) ^ buzhashTable[bytes[at]!]!
  for (let at = leastBytes; at < bytes.length; at++) {
    if ((hash & mask) === 0) return at
    // After 32 turns of one bit, a byte that leaves stands as it came.
    hash = turn(hash) ^ buzhashTable[bytes[at - windowBytes]!]! ^ buzhashTable[bytes[at]!]!
  }
  return bytes.length
}

const turn = (hash: number): number => (hash << 1) | (hash >>> 31)
