import { SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Hash, type Hex, isHex } from './data.ts'

/** One more than the largest number of 32 bytes. */
export const wordLimit: bigint = 2n ** 256n

/**
 * 32 bytes: a number from 0 to 2^256 - 1, or hex of at most 64 digits, padded to the left.
 * @throws SchemaError for anything else; `subject` names it.
 */
export function toWord(value: bigint | number | Hex, subject: string = 'word'): Hash {
  if (isHex(value, 1, 64)) return `0x${value.slice(2).toLowerCase().padStart(64, '0')}`
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!exact || BigInt(value) < 0n || BigInt(value) >= wordLimit) {
    throw mismatch(
      subject,
      'an integer from 0 to 2^256 - 1, beyond 2^53 - 1 a bigint, or 1 to 64 hex digits after 0x',
      value,
    )
  }
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** An error that says what was expected of `subject`, and what was received. */
export function mismatch(subject: string, expected: string, received: unknown): SchemaError {
  return new SchemaError(subject, { path: '', expected, received: String(received).slice(0, 80) })
}
