import {
  array,
  is,
  nullable,
  object,
  optional,
  type RuleTable,
  type Schema,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from '../block-parameter.ts'
import { maybe } from '../maybe.ts'
import { indexSchema, type Quantity, quantitySchema } from '../quantity.ts'
import { noParams } from '../no-params.ts'

/** Fees of a range of blocks, one element per block, oldest first. Source: execution-apis. */
export interface FeeHistory {
  readonly oldestBlock: Quantity
  /** Wei per gas; one more than there are blocks, for the next block. Absent before London. */
  readonly baseFeePerGas?: readonly Quantity[] | null
  /** Share of the block's gas limit, from 0 to 1; null if no block was asked for. */
  readonly gasUsedRatio?: readonly number[] | null
  /** Wei per blob gas; one more than there are blocks. */
  readonly baseFeePerBlobGas?: readonly Quantity[] | null
  readonly blobGasUsedRatio?: readonly number[] | null
  /** Wei per gas above the base fee, at the requested percentiles. */
  readonly reward?: readonly (readonly Quantity[])[] | null
}

/** Prices of transactions. All are in wei. */
export interface FeeMethods {
  readonly eth_gasPrice: { readonly params: readonly []; readonly result: Quantity }
  readonly eth_maxPriorityFeePerGas: { readonly params: readonly []; readonly result: Quantity }
  /** The base fee of the next block. */
  readonly eth_baseFee: { readonly params: readonly []; readonly result: Quantity | null }
  /** The blob base fee of the next block; null on a chain without blobs. */
  readonly eth_blobBaseFee: { readonly params: readonly []; readonly result: Quantity | null }
  readonly eth_feeHistory: {
    /** Percentiles are from 0 to 100, in ascending order. */
    readonly params: readonly [
      blockCount: Quantity,
      newestBlock: BlockNumberOrTag,
      rewardPercentiles?: readonly number[],
    ]
    readonly result: FeeHistory
  }
}

const percentiles: Schema<readonly number[]> = /*#__PURE__*/ is(
  'an array of percentiles from 0 to 100 that never fall',
  (value) =>
    Array.isArray(value) &&
    value.every((each, i) => typeof each === 'number' && each >= (i === 0 ? 0 : value[i - 1]) && each <= 100),
  () => ({ type: 'array', items: { type: 'number', minimum: 0, maximum: 100 } }),
)
const ratios: Schema<readonly number[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ is<number>(
    'a number',
    (value) => typeof value === 'number',
    () => ({ type: 'number' }),
  ),
)
const prices: Schema<readonly Quantity[]> = /*#__PURE__*/ array(quantitySchema)

const feeHistorySchema: Schema<FeeHistory> = /*#__PURE__*/ object<FeeHistory>('a fee history', {
  oldestBlock: quantitySchema,
  baseFeePerGas: /*#__PURE__*/ maybe(prices),
  gasUsedRatio: /*#__PURE__*/ maybe(ratios),
  baseFeePerBlobGas: /*#__PURE__*/ maybe(prices),
  blobGasUsedRatio: /*#__PURE__*/ maybe(ratios),
  reward: /*#__PURE__*/ maybe(/*#__PURE__*/ array(prices)),
})

/** `eth_gasPrice`. Source: execution-apis. */
export const eth_gasPrice: RuleTable<FeeMethods>['eth_gasPrice'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
  cache: 'head',
}

/** `eth_maxPriorityFeePerGas`. Source: execution-apis. */
export const eth_maxPriorityFeePerGas: RuleTable<FeeMethods>['eth_maxPriorityFeePerGas'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
  cache: 'head',
}

/** `eth_baseFee`. Source: execution-apis. */
export const eth_baseFee: RuleTable<FeeMethods>['eth_baseFee'] = {
  params: noParams,
  result: /*#__PURE__*/ nullable(quantitySchema),
  paramNames: [],
  effect: 'read',
  cache: 'head',
}

/** `eth_blobBaseFee`. Source: execution-apis. */
export const eth_blobBaseFee: RuleTable<FeeMethods>['eth_blobBaseFee'] = {
  params: noParams,
  result: /*#__PURE__*/ nullable(quantitySchema),
  paramNames: [],
  effect: 'read',
  cache: 'head',
}

/** `eth_feeHistory`. Source: execution-apis. */
export const eth_feeHistory: RuleTable<FeeMethods>['eth_feeHistory'] = {
  params: /*#__PURE__*/ tuple<FeeMethods['eth_feeHistory']['params']>(
    indexSchema,
    blockNumberOrTagSchema,
    /*#__PURE__*/ optional(percentiles),
  ),
  result: feeHistorySchema,
  paramNames: ['blockCount', 'newestBlock', 'rewardPercentiles?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
}
