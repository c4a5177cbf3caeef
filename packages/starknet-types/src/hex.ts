import { is, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A number in hex: `0x` and digits. */
export type Hex = `0x${string}`

/** Checks a number in hex below `limit`, of at most 64 digits, leading zeros allowed. */
export function hexBelow(expected: string, limit: bigint): Schema<Hex> {
  return is(expected, (value) => isHex(value) && BigInt(value) < limit)
}

/** Checks a number in hex of at most 32 bytes: an L1 hash, a length, an offset. Source: Starknet RPC, `NUM_AS_HEX`. */
export const hexSchema: Schema<Hex> = /*#__PURE__*/ is('a number in hex (0x, up to 64 digits)', isHex)

/** Checks an amount of a resource: below 2^64. */
export const u64Schema: Schema<Hex> = /*#__PURE__*/ hexBelow('a hex number below 2^64', 2n ** 64n)

/** Checks a price: below 2^128. */
export const u128Schema: Schema<Hex> = /*#__PURE__*/ hexBelow('a hex number below 2^128', 2n ** 128n)

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[\da-fA-F]{1,64}$/.test(value)
}
