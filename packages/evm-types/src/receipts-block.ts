import { choice, is, type Schema, SchemaError, text } from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, blockParameterSchema } from './block-parameter.ts'
import { printQuantity, type Quantity } from './quantity.ts'

/**
 * The block parameter of `eth_getBlockReceipts`, which may also be a decimal integer, as number or string. Nodes refuse
 * the decimal forms; {@link blockParameterToHex} rewrites them. Source: Spec §4.6.
 */
export type ReceiptsBlockParameter = BlockParameter | number | `${bigint}`

const decimalNumberSchema: Schema<number> = is(
  'a block number from 0 to 2^53 - 1 (a larger one has lost digits: write it as a string)',
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  () => ({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
)

const pattern: Schema<`${bigint}`> = text(
  'a decimal block number below 2^64, without leading zeros',
  /^(0|[1-9]\d{0,19})$/,
)
const decimalStringSchema: Schema<`${bigint}`> = is(
  pattern.expected,
  (value) => pattern.check(value, '') === undefined && BigInt(value as string) < 2n ** 64n,
  pattern.json,
)

/** Checks a {@link ReceiptsBlockParameter}. */
export const receiptsBlockParameterSchema: Schema<ReceiptsBlockParameter> = choice(
  `${blockParameterSchema.expected} or a decimal integer`,
  (value) => (isDecimal(value) ? decimalSchemaOf(value) : blockParameterSchema),
  [blockParameterSchema, decimalNumberSchema, decimalStringSchema],
)

/**
 * The hex quantity of a decimal block number, given as number or string. Undefined if `block` is not decimal and needs
 * no rewriting. Source: Spec §4.6.
 * @throws SchemaError for a number that is negative, fractional or beyond 2^53 - 1 (its digits are lost), and for a
 * string with leading zeros or beyond 64 bits.
 */
export function blockParameterToHex(block: unknown): Quantity | undefined {
  if (!isDecimal(block)) return undefined
  const issue = decimalSchemaOf(block).check(block, '')
  if (issue !== undefined) throw new SchemaError('block', issue)
  return printQuantity(BigInt(block))
}

function isDecimal(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && /^[-+]?\d/.test(value) && !/^0x/i.test(value))
}

function decimalSchemaOf(value: number | string): { check: Schema<never>['check'] } {
  return typeof value === 'number' ? decimalNumberSchema : decimalStringSchema
}
