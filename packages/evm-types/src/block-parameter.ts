import {
  boolean,
  choice,
  is,
  object,
  oneOf,
  optional,
  type OptionalSchema,
  type Schema,
} from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema, isHex } from './data.ts'
import { indexSchema, isQuantity, type Quantity } from './quantity.ts'

/** A named block. Source: Spec §3. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'

/** A block by its number or tag, the only forms for uncles and the ends of a filter's range. Source: Spec §4.3. */
export type BlockNumberOrTag = BlockTag | Quantity

/** A block by its number, in an object. Source: EIP-1898. */
export interface BlockByNumber {
  readonly blockNumber: Quantity
  readonly blockHash?: never
}

/** A block by its hash, in an object. Source: EIP-1898. */
export interface BlockByHash {
  readonly blockHash: Hash
  readonly blockNumber?: never
  /** Fail unless the block is in the canonical chain; false when absent. */
  readonly requireCanonical?: boolean
}

/**
 * A block, in every form of a state method. A 32-byte hex string is a hash, never a number.
 * Source: Spec §4.2, EIP-1898.
 */
export type BlockParameter = BlockNumberOrTag | Hash | BlockByNumber | BlockByHash

/** Checks a {@link BlockTag}. */
export const blockTagSchema: Schema<BlockTag> = oneOf('latest', 'earliest', 'pending', 'safe', 'finalized')

const numberOrTag = `a hex block number without leading zeros (0x1b4) or ${blockTagSchema.expected}`

/** Checks a {@link BlockNumberOrTag}. */
export const blockNumberOrTagSchema: Schema<BlockNumberOrTag> = is(numberOrTag, isNumberOrTag, (of) => ({
  anyOf: [of(indexSchema), of(blockTagSchema)],
}))

const notBoth: OptionalSchema<never> = optional(
  is(
    'either blockHash or blockNumber: choose one',
    () => false,
    () => ({ not: {} }),
  ),
)

const blockByNumberSchema: Schema<BlockByNumber> = object<BlockByNumber>(
  'a block by number',
  { blockHash: notBoth, blockNumber: indexSchema },
  { closed: true },
)

const blockByHashSchema: Schema<BlockByHash> = object<BlockByHash>(
  'a block by hash',
  { blockNumber: notBoth, blockHash: hashSchema, requireCanonical: optional(boolean) },
  { closed: true },
)

const stringSchema: Schema<BlockNumberOrTag | Hash> = is(
  `${numberOrTag} or a 32-byte hash`,
  (value) => isNumberOrTag(value) || isHex(value, 64, 64),
  (of) => ({ anyOf: [of(blockNumberOrTagSchema), of(hashSchema)] }),
)

/** Checks a {@link BlockParameter}. */
export const blockParameterSchema: Schema<BlockParameter> = choice(
  `${stringSchema.expected} or an object of EIP-1898`,
  (value) => {
    if (typeof value === 'string') return stringSchema
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return (value as BlockByNumber).blockNumber !== undefined ? blockByNumberSchema : blockByHashSchema
  },
  [stringSchema, blockByNumberSchema, blockByHashSchema],
)

/** Checks a block parameter that may be left out: `latest` then. */
export const optionalBlock: OptionalSchema<BlockParameter> = optional(blockParameterSchema)

function isNumberOrTag(value: unknown): boolean {
  return isQuantity(value, 16) || blockTagSchema.check(value, '') === undefined
}
