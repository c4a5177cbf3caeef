import {
  array,
  integer,
  is,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { GasFeesError } from '../error.ts'
import type { FeeTrend, Gwei, Incompleteness, SuggestedFees, SuggestedGasFees } from '../suggestion.ts'

const gwei: Schema<Gwei> = /*#__PURE__*/ text('decimal gwei ("1.5")', /^\d{1,80}(?:\.\d{1,80})?$/)
const duration: Schema<number> = /*#__PURE__*/ is(
  'milliseconds',
  (value) => Number.isFinite(value) && (value as number) >= 0,
)
const trend: Schema<FeeTrend> = /*#__PURE__*/ oneOf('up', 'down', 'level')
const range: Schema<readonly [Gwei, Gwei]> = /*#__PURE__*/ tuple<readonly [Gwei, Gwei]>(gwei, gwei)

const fees: Schema<SuggestedFees> = /*#__PURE__*/ object<SuggestedFees>('the fees of a level', {
  suggestedMaxPriorityFeePerGas: gwei,
  suggestedMaxFeePerGas: gwei,
  minWaitTimeEstimate: duration,
  maxWaitTimeEstimate: duration,
})

const count = /*#__PURE__*/ optional(/*#__PURE__*/ integer('a number of blocks', 0))
const incompleteness: Schema<Incompleteness> = /*#__PURE__*/ object<Incompleteness>('what a suggestion lacks', {
  nodePriorityFee: /*#__PURE__*/ optional(gwei),
  knownBlocks: count,
  calibrated: /*#__PURE__*/ optional(/*#__PURE__*/ is<false>('false', (value) => value === false)),
  congestionBlocks: count,
})

/** Checks a suggestion; further members pass. Source: Spec §2.10. */
export const suggestionSchema: Schema<SuggestedGasFees> = /*#__PURE__*/ object<SuggestedGasFees>('suggested gas fees', {
  low: fees,
  medium: fees,
  high: fees,
  estimatedBaseFee: gwei,
  networkCongestion: /*#__PURE__*/ is(
    'a number from 0 to 1',
    (value) => typeof value === 'number' && value >= 0 && value <= 1,
  ),
  latestPriorityFeeRange: range,
  historicalPriorityFeeRange: range,
  historicalBaseFeeRange: range,
  priorityFeeTrend: trend,
  baseFeeTrend: trend,
  wayleave: /*#__PURE__*/ optional(incompleteness),
})

export const gweiListSchema: Schema<readonly Gwei[]> = /*#__PURE__*/ array(gwei)

export const percentileSchema: Schema<{ readonly baseFeePercentile: Gwei }> = /*#__PURE__*/ object<{
  readonly baseFeePercentile: Gwei
}>('a base fee percentile', { baseFeePercentile: gwei })

export const thresholdSchema: Schema<{ readonly busyThreshold: Gwei }> = /*#__PURE__*/ object<{
  readonly busyThreshold: Gwei
}>('a busy threshold', { busyThreshold: gwei })

export const namesSchema: Schema<Readonly<Record<string, string>>> = /*#__PURE__*/ record(/*#__PURE__*/ text('a name'))

/** Parses JSON; `expected` describes it in the error. @throws GasFeesError `invalid_response`. */
export function parseJson(json: string, expected: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new GasFeesError('invalid_response', `expected ${expected}`)
  }
}

/** Returns the value if it fits the schema. @throws GasFeesError `invalid_response`. */
export function checkedAnswer<T>(value: unknown, schema: Schema<T>): T {
  const issue = schema.check(value, '')
  if (issue === undefined) return value as T
  throw new GasFeesError('invalid_response', `answer${issue.path}: expected ${issue.expected}, got ${issue.received}`)
}
