import { array, assertValid, type Schema, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Hex, hexBelow } from './hex.ts'

/** An element of Starknet's field, in hex: an address, a hash, a selector, a value. Canonical: no leading zeros, lower case. */
export type Felt = Hex

/** 2^251 + 17 · 2^192 + 1: felts are below it. Source: Starknet, field of the STARK curve. */
export const fieldPrime: bigint = 0x800000000000011000000000000000000000000000000000000000000000001n

/** Checks a {@link Felt}. Leading zeros and either case pass: wallets pad addresses to 64 digits. */
export const feltSchema: Schema<Felt> = /*#__PURE__*/ hexBelow(
  'a felt (0x, up to 64 hex digits, below 2^251 + 17·2^192 + 1)',
  fieldPrime,
)

/** Checks a list of felts. */
export const feltsSchema: Schema<readonly Felt[]> = /*#__PURE__*/ array(feltSchema)

/**
 * The number a felt stands for; padded ones and either case of digits are taken.
 * @throws SchemaError on anything else: decimals, `0x`, numbers from the prime up
 */
export function parseFelt(felt: string): bigint {
  assertValid<Felt>(feltSchema, felt, 'felt')
  return BigInt(felt)
}

/**
 * The canonical felt of a number: no leading zeros, lower case.
 * @throws SchemaError unless it is from 0 to the prime less 1; a `number` beyond 2^53 - 1 is refused, too: pass a bigint
 */
export function printFelt(value: bigint | number): Felt {
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!exact || value < 0 || value >= fieldPrime) {
    throw new SchemaError('felt', {
      path: '',
      expected: 'a bigint from 0 to 2^251 + 17·2^192, or a number from 0 to 2^53 - 1',
      received: String(value),
    })
  }
  return `0x${value.toString(16)}`
}

/** A felt in its canonical form, to compare and to key by. @throws SchemaError as {@link parseFelt} */
export function canonicalFelt(felt: string): Felt {
  return printFelt(parseFelt(felt))
}
