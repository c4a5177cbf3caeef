import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '@wayleave/evm-types'

export const keccak = (bytes: Uint8Array): Uint8Array => keccak_256(bytes)

export const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`

/** Reads hex with its prefix, of an even number of digits. */
export const bytes = (text: string): Uint8Array => hexToBytes(text.slice(2))

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Prints a number in 32 bytes. */
export const word = (value: number | bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** The shortest bytes of a number: none for 0. */
export function minimal(value: number | bigint): Uint8Array {
  const digits = value.toString(16)
  return BigInt(value) === 0n ? new Uint8Array(0) : hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes in RLP. Source: Yellow Paper, appendix B. */
export function rlp(item: RlpItem): Uint8Array {
  if (item instanceof Uint8Array)
    return item.length === 1 && item[0]! < 0x80 ? item : join([head(item.length, 0x80), item])
  const parts = item.map(rlp)
  return join([
    head(
      parts.reduce((sum, part) => sum + part.length, 0),
      0xc0,
    ),
    ...parts,
  ])
}

function head(length: number, offset: number): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length)
  const size = minimal(length)
  return join([Uint8Array.of(offset + 55 + size.length), size])
}

export function join(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
