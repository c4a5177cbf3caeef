import { expect, test } from 'vitest'
import { fillFees, offerOf, type SuggestedGasFees } from '../../src/index.ts'

const level = {
  suggestedMaxPriorityFeePerGas: '2',
  suggestedMaxFeePerGas: '12',
  minWaitTimeEstimate: 1,
  maxWaitTimeEstimate: 1,
}
const suggestion: SuggestedGasFees = {
  low: { ...level, suggestedMaxPriorityFeePerGas: '1.000000001', suggestedMaxFeePerGas: '11' },
  medium: level,
  high: { ...level, suggestedMaxFeePerGas: '20' },
  estimatedBaseFee: '10',
  networkCongestion: 0,
  latestPriorityFeeRange: ['0', '0'],
  historicalPriorityFeeRange: ['0', '0'],
  historicalBaseFeeRange: ['0', '0'],
  priorityFeeTrend: 'level',
  baseFeeTrend: 'level',
}
const gwei = 1_000_000_000n

test('an offer is a level’s fees in wei', () => {
  expect(offerOf(suggestion, 'low')).toEqual({ maxFeePerGas: 11n * gwei, maxPriorityFeePerGas: gwei + 1n })
})

test('a transaction without fees gets those of the level, medium by default, and keeps the rest', () => {
  expect(fillFees({ to: '0x' }, suggestion)).toEqual({
    to: '0x',
    maxFeePerGas: 12n * gwei,
    maxPriorityFeePerGas: 2n * gwei,
  })
  expect(fillFees({ type: '0x2' }, suggestion, 'high')).toMatchObject({ maxFeePerGas: 20n * gwei })
})

test.each([
  ['a max fee stays', { maxFeePerGas: 15n * gwei }, 15n, 2n],
  ['a small max fee bounds the priority fee', { maxFeePerGas: '0x3b9aca00' }, 1n, 1n],
  ['a priority fee stays, and the room for the base fee is added', { maxPriorityFeePerGas: 5n * gwei }, 15n, 5n],
  ['both stay', { maxFeePerGas: 3_000_000_000, maxPriorityFeePerGas: '0x0' }, 3n, 0n],
  [
    'null counts as absent',
    { maxFeePerGas: null, maxPriorityFeePerGas: undefined, gasPrice: null, type: null },
    12n,
    2n,
  ],
])('%s', (_, transaction, max, tip) => {
  expect(fillFees(transaction, suggestion)).toMatchObject({
    maxFeePerGas: max * gwei,
    maxPriorityFeePerGas: tip * gwei,
  })
})

test.each([[{ gasPrice: 1n }], [{ gasPrice: '0x0' }], [{ type: 0 }], [{ type: 'legacy' }], [{ type: '0x01' }]])(
  'a transaction that pays by gas price stays: %o',
  (transaction) => {
    expect(fillFees(transaction, suggestion)).toBe(transaction)
  },
)
