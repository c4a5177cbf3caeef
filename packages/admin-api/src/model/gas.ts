import { array, integer, is, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { GasBlockRecord, GasRecord, GasSuggestion, LevelFees, PromiseRecord } from '../gas-port.ts'
import { count, exact, time, words } from './fields.ts'
import { type Items, itemsOf } from './page.ts'

/** The gas fees of a network with its last blocks. */
export interface GasHistory extends GasRecord {
  /** The last 300 that were followed, oldest first. */
  readonly history: readonly GasBlockRecord[]
}

const gwei = text('decimal gwei', /^\d{1,100}(?:\.\d{1,9})?$/)
const range: Schema<readonly [string, string]> = is(
  'the least and the greatest, in decimal gwei',
  (value) => Array.isArray(value) && value.length === 2 && value.every((each) => gwei.check(each, '') === undefined),
  (of) => ({ type: 'array', items: of(gwei), minItems: 2, maxItems: 2 }),
)
const trend = oneOf<'up' | 'down' | 'level'>('up', 'down', 'level')
const share: Schema<number> = is(
  'a number from 0 to 1',
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
  () => ({ type: 'number', minimum: 0, maximum: 1 }),
)

const fees = exact<LevelFees>('the fees of a level', {
  suggestedMaxPriorityFeePerGas: gwei,
  suggestedMaxFeePerGas: gwei,
  minWaitTimeEstimate: integer('ms', 0),
  maxWaitTimeEstimate: integer('ms', 0),
})

const suggestion = exact<GasSuggestion>('a suggestion', {
  low: fees,
  medium: fees,
  high: fees,
  estimatedBaseFee: gwei,
  networkCongestion: share,
  latestPriorityFeeRange: range,
  historicalPriorityFeeRange: range,
  historicalBaseFeeRange: range,
  priorityFeeTrend: trend,
  baseFeeTrend: trend,
  wayleave: optional(
    exact<NonNullable<GasSuggestion['wayleave']>>('what it lacks', {
      nodePriorityFee: optional(gwei),
      knownBlocks: optional(count),
      calibrated: optional(
        is<false>(
          'false',
          (value) => value === false,
          () => ({ const: false }),
        ),
      ),
      congestionBlocks: optional(count),
    }),
  ),
})

const promise = exact<PromiseRecord>('a promise', {
  withinBlocks: integer('a number of blocks', 1),
  probability: share,
  kept: count,
  broken: count,
  pending: count,
})

const gasShape = {
  network: words(1, 256),
  chainId: count,
  blockNumber: count,
  ageMs: is<number>(
    'ms, 0 or more',
    (value) => typeof value === 'number' && value >= 0,
    () => ({ type: 'number', minimum: 0 }),
  ),
  suggested: suggestion,
  promises: optional(
    exact<NonNullable<GasRecord['promises']>>('promises by level', { low: promise, medium: promise, high: promise }),
  ),
  since: time,
}

const block = exact<GasBlockRecord>('a block', {
  blockNumber: count,
  at: time,
  baseFee: gwei,
  low: gwei,
  medium: gwei,
  high: gwei,
})

export const gasList: Schema<Items<GasRecord>> = itemsOf('gas fees', exact<GasRecord>('gas fees', gasShape))

export const gasHistory: Schema<GasHistory> = exact<GasHistory>('gas fees and the last blocks', {
  ...gasShape,
  history: array(block),
})
