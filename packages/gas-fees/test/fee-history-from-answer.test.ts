import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type FeeHistory, feeHistoryFromAnswer, GasFeesError, suggestGasFees, wayleave } from '../src/index.ts'

const { aRealFeeHistoryAnswer } = JSON.parse(
  readFileSync(new URL('vectors/eip1559-base-fee.json', import.meta.url), 'utf8'),
) as { aRealFeeHistoryAnswer: { result: unknown } }

const answer = {
  oldestBlock: '0xa',
  baseFeePerGas: ['0x64', '0x65', '0x66', '0x67'],
  gasUsedRatio: [0.5, 0.25, 1],
  reward: [
    ['0x1', '0x2'],
    ['0x3', '0x4'],
    ['0x5', '0x6'],
  ],
}
const percentiles = [25, 75]

function read(changes: object): FeeHistory {
  return feeHistoryFromAnswer({ ...answer, ...changes }, { percentiles })
}

function codeOf(act: () => unknown): string {
  try {
    act()
  } catch (thrown) {
    return thrown instanceof GasFeesError ? thrown.code : String(thrown)
  }
  return 'none'
}

test('an answer becomes blocks, their rewards, and the next base fee', () => {
  expect(feeHistoryFromAnswer(answer, { percentiles, blockTimeMs: 2_000 })).toEqual({
    percentiles,
    blocks: [
      { number: 10, baseFeePerGas: 100n, gasUsedRatio: 0.5, rewards: [1n, 2n] },
      { number: 11, baseFeePerGas: 101n, gasUsedRatio: 0.25, rewards: [3n, 4n] },
      { number: 12, baseFeePerGas: 102n, gasUsedRatio: 1, rewards: [5n, 6n] },
    ],
    nextBaseFeePerGas: 103n,
    blockTimeMs: 2_000,
  })
})

test('a real answer with a JSON number as oldest block is read', () => {
  const { blocks, nextBaseFeePerGas } = feeHistoryFromAnswer(aRealFeeHistoryAnswer.result, { percentiles })
  expect(blocks.map(({ number }) => number)).toEqual([10762137, 10762138, 10762139, 10762140])
  expect(blocks.map(({ rewards }) => rewards?.[1])).toEqual([0x4a817c7een, 0x773593f5n, 0n, 0x773bae75n])
  expect(nextBaseFeePerGas).toBe(13n)
})

test.each([
  ['null', null],
  ['absent', undefined],
  ['empty', []],
  ['of null rows', [null, null, null]],
  ['of short rows', [['0x1'], ['0x3'], []]],
  [
    'of rows with a null',
    [
      [null, '0x1'],
      ['0x1', null],
      [null, null],
    ],
  ],
])('rewards that are %s are unknown, and a suggestion comes out all the same', (_, reward) => {
  expect(read({ reward }).blocks.map(({ rewards }) => rewards)).toEqual([undefined, undefined, undefined])
  const history = feeHistoryFromAnswer({ ...answer, reward }, { percentiles: wayleave.percentiles })
  expect(suggestGasFees(history).low.suggestedMaxPriorityFeePerGas).toBe('0.000000001')
})

test('rewards that are missing at the end leave the other blocks theirs', () => {
  const { blocks } = read({ reward: [['0x1', '0x2']] })
  expect(blocks.map(({ rewards }) => rewards)).toEqual([[1n, 2n], undefined, undefined])
})

test('ratios beyond 1 count as full, and what is no number as empty', () => {
  const { blocks } = read({ gasUsedRatio: [1.5, null, Number.NaN], baseFeePerGas: ['0x1', '0x1', '0x1', '0x1'] })
  expect(blocks.map(({ gasUsedRatio }) => gasUsedRatio)).toEqual([1, 0, 0])
})

test('blocks up to a missing base fee are left out, so that numbers stay consecutive', () => {
  const { blocks } = read({ baseFeePerGas: ['0x64', null, '0x66', '0x67'] })
  expect(blocks.map(({ number }) => number)).toEqual([12])
})

test('a next base fee that is missing follows from the newest block', () => {
  expect(read({ baseFeePerGas: ['0x64', '0x65', '0x3e8'] }).nextBaseFeePerGas).toBe(1_125n)
  expect(read({ gasUsedRatio: [0.5, 0.5, 0], baseFeePerGas: ['0x1', '0x1', '0x3e8'] }).nextBaseFeePerGas).toBe(875n)
})

test('a base fee of 0 is a base fee', () => {
  const history = read({ baseFeePerGas: ['0x0', '0x0', '0x0', '0x0'] })
  expect([history.blocks.length, history.nextBaseFeePerGas]).toEqual([3, 0n])
})

test.each([
  ['absent', undefined],
  ['null', null],
  ['empty', []],
  ['all null', [null, null, null, null]],
])('a chain whose base fees are %s is unsupported', (_, baseFeePerGas) => {
  expect(codeOf(() => read({ baseFeePerGas }))).toBe('unsupported')
})

test.each([
  ['null', null],
  ['text', 'no'],
  ['without blocks', { oldestBlock: '0x1', baseFeePerGas: ['0x1'], gasUsedRatio: [] }],
  ['null for ratios', { oldestBlock: '0x1', baseFeePerGas: ['0x1'], gasUsedRatio: null }],
  ['without its oldest block', { ...answer, oldestBlock: undefined }],
  ['with a broken number', { ...answer, oldestBlock: '10' }],
  ['without the newest base fee', { ...answer, baseFeePerGas: ['0x64', '0x65'] }],
])('an answer that is %s is refused', (_, value) => {
  expect(codeOf(() => feeHistoryFromAnswer(value, { percentiles }))).toBe('invalid_response')
})

test.each([
  [{ gasUsedRatio: null }, 'expected gasUsedRatio of each block in eth_feeHistory, got null: the node told no block'],
  [{ gasUsedRatio: [] }, 'expected gasUsedRatio of each block in eth_feeHistory, got none: the node told no block'],
  [{ gasUsedRatio: '0x1' }, 'expected gasUsedRatio of each block in eth_feeHistory, got something else: '],
  [{ oldestBlock: null }, 'expected oldestBlock in eth_feeHistory, got null: the node told no block'],
  [{ oldestBlock: 'latest' }, 'expected oldestBlock in eth_feeHistory, got something else: the node told no block'],
  // As geth answers where it knows no block.
  [
    { oldestBlock: '0x0', baseFeePerGas: undefined, gasUsedRatio: null, reward: undefined },
    'gasUsedRatio of each block',
  ],
])('an odd history is refused in words that say what is odd: %j', (changes, words) => {
  expect(() => read(changes)).toThrow(words)
  expect(codeOf(() => read(changes))).toBe('invalid_response')
})
