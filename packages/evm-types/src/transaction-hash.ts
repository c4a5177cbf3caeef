import { concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Hash, Hex } from './data.ts'
import { keccak256 } from './keccak.ts'

/**
 * The hash of a signed transaction in its network form. It covers all bytes, except that of a blob transaction with its
 * blobs, which covers only the transaction inside. Undefined if the bytes cannot be a transaction.
 * Source: EIP-2718, EIP-4844.
 */
export function transactionHash(raw: Hex): Hash | undefined {
  if (raw.length % 2 !== 0 || !/^0x[0-9a-f]+$/i.test(raw)) return undefined
  const bytes = hexToBytes(raw.slice(2))
  const type = bytes[0]!
  if (type !== 3) return type < 0x80 || type >= 0xc0 ? keccak256(bytes) : undefined
  const outer = listAt(bytes, 1)
  if (outer === undefined || outer.end !== bytes.length) return undefined
  const inner = listAt(bytes, outer.start)
  // Without blobs the first item is the chain id, not a list.
  if (inner === undefined) return keccak256(bytes)
  return inner.end > outer.end
    ? undefined
    : keccak256(concatBytes(bytes.subarray(0, 1), bytes.subarray(outer.start, inner.end)))
}

/** The start of the items of the RLP list at `at`, and its end. */
function listAt(bytes: Uint8Array, at: number): { readonly start: number; readonly end: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first < 0xc0) return undefined
  if (first < 0xf8) return { start: at + 1, end: at + 1 + (first - 0xc0) }
  const start = at + 1 + (first - 0xf7)
  const length = bytes.subarray(at + 1, start).reduce((sum, byte) => sum * 256 + byte, 0)
  return { start, end: start + length }
}
