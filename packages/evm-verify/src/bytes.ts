import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import type { Hex } from '@wayleave/evm-types'

/** The bytes of an even count of digits. */
export function bytesFromHex(hex: Hex): Uint8Array {
  return hexToBytes(hex.slice(2))
}

/** A number in the fewest big-endian bytes, as RLP has integers; zero is no bytes. Ignores leading zeros. */
export function bytesFromNumber(number: Hex): Uint8Array {
  const digits = number.slice(2).replace(/^0+/, '')
  return hexToBytes(digits.length % 2 === 0 ? digits : `0${digits}`)
}

/** Bytes in lower case. */
export function hexFromBytes(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`
}

/** The parts one after the other. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const joined = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
