import { rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, test } from 'vitest'
import { type AskedRange, createRangeLimits, type KnownRanges } from '@wayleave/upstream'

const asking = (from: number, to: number, rest: Partial<AskedRange> = {}): RpcRequest => ({
  method: 'getLogs',
  params: rawJsonFromValue({ from, to, isCut: false, kind: 'address', key: 'usdc', ...rest }),
  notification: false,
})

function scene(known?: Map<string, KnownRanges>) {
  const clock = new FakeClock()
  let reads = 0
  const limits = createRangeLimits({
    clock,
    known,
    rangeOf({ method, params }) {
      reads++
      return method === 'getLogs' ? (params!.value() as AskedRange) : undefined
    },
  })
  return { clock, limits, reads: () => reads }
}

test('while nothing was refused nothing is read', () => {
  const { limits, reads } = scene()
  limits.began('a', asking(0, 9))
  limits.passed('a', asking(0, 9))
  expect(limits.reason('a', asking(0, 9))).toBeUndefined()
  expect(limits.mostBlocks('a', asking(0, 9))).toBeUndefined()
  expect(limits.isEmpty).toBe(true)
  expect(reads()).toBe(0)
})

test('a limit of blocks is of one upstream, for all searches', () => {
  const { limits } = scene()
  limits.refused('a', asking(0, 9_999), { of: 'blocks', most: 1_000 })
  expect(limits.reason('a', asking(50_000, 55_000, { key: 'dai' }))).toBe('range_too_large')
  expect(limits.reason('a', asking(50_000, 50_999))).toBeUndefined()
  expect(limits.reason('b', asking(0, 9_999))).toBeUndefined()
  expect(limits.mostBlocks('a', asking(0, 5, { key: 'dai' }))).toBe(1_000)
})

test('what is too long for the easier kind is too long for the harder one, and not the other way round', () => {
  const { limits } = scene()
  const any = { kind: 'any', easier: 'address', key: 'all' }
  limits.refused('a', asking(0, 999, any), { of: 'blocks', most: 100 })
  expect(limits.reason('a', asking(0, 999))).toBeUndefined()
  limits.refused('a', asking(0, 9_999), { of: 'blocks', most: 5_000 })
  expect(limits.reason('a', asking(0, 99, any))).toBeUndefined()
  expect(limits.mostBlocks('a', asking(0, 99, any))).toBe(100)
  limits.refused('b', asking(0, 9_999), { of: 'blocks', most: 5_000 })
  expect(limits.reason('b', asking(0, 9_999, any))).toBe('range_too_large')
})

test('a refusal for its blocks without a number puts its search last, whatever has passed', () => {
  const { limits } = scene()
  limits.refused('a', asking(0, 19_999), { of: 'blocks' })
  limits.passed('a', asking(0, 9_999))
  limits.refused('a', asking(50, 51, { key: 'dense' }), { of: 'blocks' })
  expect(limits.reason('a', asking(50, 51, { key: 'dense' }))).toBe('range_doubtful')
  expect(limits.reason('a', asking(50, 59))).toBeUndefined()
})

test('too many results speak against ranges that contain the refused one, of the same search', () => {
  const { limits } = scene()
  const words = { code: -32_005, message: 'query returned more than 10000 results' }
  limits.refused('a', asking(1_000, 1_999), { of: 'results', proposed: { from: 1_000, to: 1_299 }, words })
  const reasons = [
    [1_000, 1_999],
    [0, 5_000],
    [1_001, 1_999],
    [1_000, 1_998],
    [2_000, 9_000],
  ] as const
  expect(reasons.map(([from, to]) => limits.reason('a', asking(from, to)))).toEqual([
    'range_too_large',
    'range_too_large',
    undefined,
    undefined,
    undefined,
  ])
  expect(limits.reason('a', asking(0, 5_000, { key: 'dai' }))).toBeUndefined()
  expect(limits.limitOf('a', asking(1_000, 1_999))).toEqual({ blocks: 300, of: 'results', isReported: false, words })
  expect(limits.limitOf('a', asking(0, 5_000))).toEqual({
    blocks: 300,
    of: 'results',
    isReported: false,
    words: undefined,
  })
})

test('a proposal that is the refused range is none: half of it is asked for', () => {
  const { limits } = scene()
  limits.refused('a', asking(1_000, 1_999), { of: 'results', proposed: { from: 1_000, to: 1_999 } })
  expect(limits.mostBlocks('a', asking(1_000, 1_999))).toBe(500)
})

test('one block with too many results is not asked for again, and no limit of blocks', () => {
  const { limits } = scene()
  limits.refused('a', asking(7, 7), { of: 'results' })
  expect(limits.reason('a', asking(7, 7))).toBe('range_too_large')
  expect(limits.mostBlocks('a', asking(7, 7))).toBe(1)
})

test('who refuses one block for its blocks, twice, is asked last', () => {
  const { limits } = scene()
  limits.refused('a', asking(7, 7), { of: 'blocks' })
  expect(limits.reason('a', asking(0, 7))).toBeUndefined()
  limits.refused('a', asking(8, 8), { of: 'blocks' })
  expect(limits.reason('a', asking(9, 9))).toBe('range_doubtful')
})

test('two stretches with too many results put longer ranges of the search than have passed last, wherever they are', () => {
  const { limits } = scene()
  limits.refused('a', asking(0, 4_999), { of: 'results' })
  expect(limits.reason('a', asking(20_000, 24_999))).toBeUndefined()
  limits.passed('a', asking(20_000, 21_999))
  limits.refused('a', asking(50_000, 53_999), { of: 'results' })
  expect(limits.reason('a', asking(90_000, 93_999))).toBe('range_doubtful')
  expect(limits.reason('a', asking(90_000, 91_999))).toBeUndefined()
  expect(limits.reason('a', asking(90_000, 93_999, { key: 'dai' }))).toBeUndefined()
  expect(limits.mostBlocks('a', asking(90_000, 93_999))).toBe(2_000)
})

test('a refusal that says neither puts the search last, and other ranges as long after two', () => {
  const { limits } = scene()
  limits.refused('a', asking(0, 9_999), { of: 'unknown' })
  expect(limits.reason('a', asking(0, 9_999))).toBe('range_doubtful')
  expect(limits.reason('a', asking(0, 9_999, { key: 'dai' }))).toBeUndefined()
  limits.refused('a', asking(0, 8_999, { key: 'dai' }), { of: 'unknown' })
  expect(limits.reason('a', asking(0, 9_999, { key: 'weth' }))).toBe('range_doubtful')
})

test('a failure without a word puts the search last; a pass ends that', () => {
  const { limits } = scene()
  limits.failed('a', asking(0, 9_999))
  expect(limits.reason('a', asking(0, 10_500))).toBe('range_doubtful')
  expect(limits.reason('a', asking(0, 10_500, { key: 'dai' }))).toBeUndefined()
  limits.passed('a', asking(0, 10_500))
  expect(limits.reason('a', asking(0, 10_500))).toBeUndefined()
})

test('of a range beyond the head only a number is learnt', () => {
  const { limits } = scene()
  limits.refused('a', asking(0, 99, { isCut: true }), { of: 'blocks' })
  limits.refused('a', asking(0, 99, { isCut: true }), { of: 'results' })
  limits.failed('a', asking(0, 99, { isCut: true }))
  expect(limits.isEmpty).toBe(true)
  limits.refused('a', asking(0, 99, { isCut: true }), { of: 'blocks', most: 50 })
  expect(limits.reason('a', asking(0, 99))).toBe('range_too_large')
})

test('at most 500 searches and four stretches of each are remembered', () => {
  const { limits } = scene()
  for (let i = 0; i < 501; i++) limits.refused('a', asking(0, 99, { key: `key ${i}` }), { of: 'results' })
  expect(limits.reason('a', asking(0, 99, { key: 'key 0' }))).toBeUndefined()
  expect(limits.reason('a', asking(0, 99, { key: 'key 1' }))).toBe('range_too_large')
  for (let i = 0; i < 5; i++) limits.refused('a', asking(1_000 * i, 1_000 * i + 9), { of: 'results' })
  expect([0, 1, 4].map((i) => limits.reason('a', asking(1_000 * i, 1_000 * i + 9)))).toEqual([
    'range_doubtful',
    'range_too_large',
    'range_too_large',
  ])
})

test('the words of an upstream are kept up to 300 characters', () => {
  const { limits } = scene()
  const words = { code: -32_005, message: 'x'.repeat(9_000_000) }
  limits.refused('a', asking(0, 99), { of: 'results', words })
  expect(limits.limitOf('a', asking(0, 99))?.words).toBeUndefined()
})

test('what was refused is tried again after ten minutes, by one call', () => {
  const { limits, clock } = scene()
  limits.refused('a', asking(0, 99), { of: 'results' })
  clock.advance(600_000)
  expect(limits.reason('a', asking(0, 99))).toBeUndefined()
  limits.began('a', asking(0, 99))
  expect(limits.reason('a', asking(0, 99))).toBe('range_too_large')
  limits.refused('a', asking(0, 99), { of: 'results' })
  clock.advance(1_199_999)
  expect(limits.reason('a', asking(0, 99))).toBe('range_too_large')
})

test('what is known of an upstream goes on where it is handed over, in both from then on', () => {
  const known = new Map<string, KnownRanges>()
  const { limits } = scene(known)
  limits.refused('a', asking(0, 9_999), { of: 'blocks', most: 1_000 })
  limits.refused('b', asking(0, 9_999), { of: 'blocks', most: 2_000 })
  const { limits: next } = scene(new Map([['a', known.get('a')!]]))
  expect(next.isEmpty).toBe(false)
  expect(['a', 'b'].map((name) => next.mostBlocks(name, asking(0, 9_999)))).toEqual([1_000, undefined])
  limits.refused('a', asking(0, 999), { of: 'blocks', most: 500 })
  expect(next.mostBlocks('a', asking(0, 9_999))).toBe(500)
})
