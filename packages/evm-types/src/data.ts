import { is, type JsonForm, type Schema } from '@wayleave/jsonrpc-core/schema'

/** Bytes or a number in hexadecimal, `0x`-prefixed. Digits of either case. Source: Spec §2. */
export type Hex = `0x${string}`

/** An account or contract: 20 bytes. Case carries no meaning here, no checksum is enforced. Source: Spec §2. */
export type Address = Hex

/** A Keccak-256 hash, topic or storage key: 32 bytes. Source: Spec §2. */
export type Hash = Hex

const digits = /^0x[0-9a-fA-F]*$/

/** `value` is `0x` and hex digits, `min` to `max` of them. */
export function isHex(value: unknown, min: number, max: number): value is Hex {
  return typeof value === 'string' && value.length >= 2 + min && value.length <= 2 + max && digits.test(value)
}

/** The JSON Schema of `0x` and `count` hex digits: `{20}`, `{1,64}`. */
const hexForm =
  (count: string): JsonForm =>
  () => ({ type: 'string', pattern: `^0x[0-9a-fA-F]${count}$` })

/** Any number of bytes, including none: an even count of hex digits. */
export const dataSchema: Schema<Hex> = is(
  'bytes in hex (0x and an even count of digits)',
  (value) => isHex(value, 0, Infinity) && value.length % 2 === 0,
  () => ({ type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' }),
)

/** Exactly `size` bytes; `what` names them in errors. */
export function bytesSchema(size: number, what: string = `${size} bytes`): Schema<Hex> {
  return is(
    `${what} (0x and ${2 * size} hex digits)`,
    (value) => isHex(value, 2 * size, 2 * size),
    hexForm(`{${2 * size}}`),
  )
}

/** Checks an {@link Address}. */
export const addressSchema: Schema<Address> = bytesSchema(20, 'a 20-byte address')

/** Checks a {@link Hash}. */
export const hashSchema: Schema<Hash> = bytesSchema(32, 'a 32-byte hash')

/**
 * A number of at most 32 bytes, padded with zeros or not: a storage position, and the forms in which nodes
 * print storage words and signature halves. Source: Spec §4.2.
 */
export const wordSchema: Schema<Hex> = is(
  '1 to 64 hex digits after 0x',
  (value) => isHex(value, 1, 64),
  hexForm('{1,64}'),
)
