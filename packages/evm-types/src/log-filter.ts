import {
  array,
  choice,
  is,
  nullable,
  object,
  type ObjectShape,
  optional,
  type Schema,
} from '@wayleave/jsonrpc-core/schema'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from './block-parameter.ts'
import { type Address, addressSchema, type Hash, hashSchema } from './data.ts'

/** A topic to match: one hash, any hash of a list, or anything (null or an empty list). Source: execution-apis. */
export type TopicFilter = Hash | readonly Hash[] | null

/** The filter of a `logs` subscription. */
export interface LogSubscriptionFilter {
  /** The emitting contract, or one of several. */
  readonly address?: Address | readonly Address[]
  /** By position; at most four. */
  readonly topics?: readonly TopicFilter[]
}

/** Logs of a range of blocks, both ends included. */
export interface LogRangeFilter extends LogSubscriptionFilter {
  readonly fromBlock?: BlockNumberOrTag
  readonly toBlock?: BlockNumberOrTag
  readonly blockHash?: never
}

/** Logs of one block. Source: EIP-234. */
export interface LogBlockFilter extends LogSubscriptionFilter {
  readonly blockHash: Hash
  readonly fromBlock?: never
  readonly toBlock?: never
}

/** The filter of `eth_getLogs`. */
export type LogFilter = LogRangeFilter | LogBlockFilter

const addressesSchema: Schema<Address | readonly Address[]> = oneOrMany('an address or an array of them', addressSchema)
const topicSchema: Schema<TopicFilter> = nullable(oneOrMany('a 32-byte topic or an array of them', hashSchema))
const topicListSchema = array(topicSchema)

const topicsSchema: Schema<readonly TopicFilter[]> = {
  expected: `${topicListSchema.expected}, at most 4`,
  check(value, path) {
    if (Array.isArray(value) && value.length > 4)
      return { path, expected: 'at most 4 topics', received: String(value.length) }
    return topicListSchema.check(value, path)
  },
  json: (of) => ({ ...of(topicListSchema), maxItems: 4 }),
}

/** The members of a {@link LogSubscriptionFilter}. */
export const logSubscriptionShape: ObjectShape<LogSubscriptionFilter> = {
  address: optional(addressesSchema),
  topics: optional(topicsSchema),
}
const notBesideHash = optional(
  is<never>(
    'no block range beside blockHash',
    () => false,
    () => ({ not: {} }),
  ),
)

/** Checks a {@link LogSubscriptionFilter}; a member beyond it is refused. */
export const logSubscriptionFilterSchema: Schema<LogSubscriptionFilter> = object<LogSubscriptionFilter>(
  'a log filter',
  logSubscriptionShape,
  { closed: true },
)

const rangeFilterSchema: Schema<LogRangeFilter> = object<LogRangeFilter>(
  'a log filter by range',
  {
    ...logSubscriptionShape,
    fromBlock: optional(blockNumberOrTagSchema),
    toBlock: optional(blockNumberOrTagSchema),
    blockHash: notBesideHash,
  },
  { closed: true },
)

const blockFilterSchema: Schema<LogBlockFilter> = object<LogBlockFilter>(
  'a log filter by block',
  { ...logSubscriptionShape, blockHash: hashSchema, fromBlock: notBesideHash, toBlock: notBesideHash },
  { closed: true },
)

/** Checks a {@link LogFilter}; a member beyond it is refused, and a range beside a block hash. */
export const logFilterSchema: Schema<LogFilter> = choice(
  'a log filter',
  (value) =>
    typeof value === 'object' && value !== null && (value as LogBlockFilter).blockHash !== undefined
      ? blockFilterSchema
      : rangeFilterSchema,
  [rangeFilterSchema, blockFilterSchema],
)

function oneOrMany<T>(expected: string, one: Schema<T>): Schema<T | readonly T[]> {
  const many = array(one)
  return choice(expected, (value) => (Array.isArray(value) ? many : one), [one, many])
}
