import { assertValid, is, type JsonForm, type Schema, SchemaError } from '@wayleave/jsonrpc-core/schema'
import { type Hex, isHex } from './data.ts'

/** A non-negative integer below 2^256 in hex, without leading zeros; zero is `0x0`. Source: Spec §2, EIP-1474. */
export type Quantity = Hex

const limit = 2n ** 256n

/** The JSON Schema of a quantity of at most `digits` hex digits. */
const quantityForm =
  (digits: number): JsonForm =>
  () => ({ type: 'string', pattern: `^0x(0|[1-9a-fA-F][0-9a-fA-F]{0,${digits - 1}})$` })

/** Checks a {@link Quantity}. {@link parseQuantity} parses whatever it accepts. */
export const quantitySchema: Schema<Quantity> = is(
  'a hex quantity (0x0, 0x1b4: no leading zeros)',
  (value) => isQuantity(value, 64),
  quantityForm(64),
)

/** Checks a quantity below 2^64: an index, a count. */
export const indexSchema: Schema<Quantity> = is(
  'a hex quantity of at most 64 bits (0x0, 0x1b4: no leading zeros)',
  (value) => isQuantity(value, 16),
  quantityForm(16),
)

/** `value` is a quantity of at most `maxDigits` hex digits. */
export function isQuantity(value: unknown, maxDigits: number): value is Quantity {
  return isHex(value, 1, maxDigits) && (value === '0x0' || value[2] !== '0')
}

/**
 * The exact number of a quantity. Strict: refuses `123`, `0x`, `0x01` and more than 32 bytes.
 * @throws SchemaError
 */
export function parseQuantity(quantity: string): bigint {
  assertValid<Quantity>(quantitySchema, quantity, 'quantity')
  return BigInt(quantity)
}

/**
 * The quantity of a non-negative integer below 2^256, in lower case.
 * @throws SchemaError on anything else, and on a `number` beyond 2^53 - 1: pass a bigint there.
 */
export function printQuantity(value: bigint | number): Quantity {
  const exact = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!exact || value < 0 || value >= limit) {
    throw new SchemaError('quantity', {
      path: '',
      expected: 'a bigint from 0 to 2^256 - 1, or a number from 0 to 2^53 - 1',
      received: String(value),
    })
  }
  return `0x${value.toString(16)}`
}
