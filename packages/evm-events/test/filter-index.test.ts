import { createFilterIndex, type LogCriteria, logCriteriaOf, matchesLog } from '@wayleave/evm-events'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bloomBits, parseBloom } from '../src/bloom.ts'
import { address, createSimChain, log, word } from './support/sim-chain.ts'

const bloomOfLogs = (...logs: ReturnType<typeof log>[]): Uint8Array => parseBloom(createSimChain().grow(logs).bloom)!

describe('criteria', () => {
  test.each([
    [undefined, { addresses: [], topics: [] }],
    [
      { address: '0xAB', topics: null },
      { addresses: ['0xab'], topics: [] },
    ],
    [
      { address: null, topics: [null, '0xC', ['0xD', '0xd'], []] },
      { addresses: [], topics: [[], ['0xc'], ['0xd'], []] },
    ],
    [
      { address: [], topics: [['0xa', null]] },
      { addresses: [], topics: [[]] },
    ],
  ])('of %j', (filter, criteria) => {
    const { addresses, topics } = logCriteriaOf(filter)
    expect({ addresses: [...addresses], topics: topics.map((wanted) => [...wanted]) }).toEqual(criteria)
  })

  test('match by address and by topics in their places, as geth', () => {
    const one = log(1, 2, 3)
    const matches = (filter: object): boolean => matchesLog(one, logCriteriaOf(filter))
    expect(matches({})).toBe(true)
    expect(matches({ address: [address(9), address(1)], topics: [null, word(3)] })).toBe(true)
    expect(matches({ address: address(2) })).toBe(false)
    expect(matches({ topics: [word(3)] })).toBe(false)
    // A place that takes any topic still asks for one.
    expect(matches({ topics: [null, null, null] })).toBe(false)
  })
})

describe('the bloom filter', () => {
  test('sets the bits of the Yellow Paper', () => {
    // keccak256 of 20 zero bytes begins with 5380 c7b7 ae81.
    expect(bloomBits(address(0))).toEqual([0x5380 % 2048, 0xc7b7 % 2048, 0xae81 % 2048])
    expect(parseBloom('0x12')).toBeUndefined()
  })

  test('rules out blocks in which no filter can match', () => {
    const index = createFilterIndex<string>()
    expect(index.mayMatch(bloomOfLogs(log(1, 2)))).toBe(false)
    const remove = index.add(logCriteriaOf({ address: address(1), topics: [word(2)] }), 'one')
    expect(index.mayMatch(bloomOfLogs(log(1, 2)))).toBe(true)
    expect(index.mayMatch(bloomOfLogs(log(1, 3)))).toBe(false)
    index.add(logCriteriaOf({}), 'all')
    expect(index.mayMatch(bloomOfLogs(log(7, 7)))).toBe(true)
    expect(index.mayMatch(bloomOfLogs())).toBe(false)
    remove()
    expect(index.size).toBe(1)
  })
})

test('tells the addresses that all filters name', () => {
  const index = createFilterIndex<number>()
  const first = index.add(logCriteriaOf({ address: [address(1), address(2)] }), 1)
  index.add(logCriteriaOf({ address: address(1) }), 2)
  expect(index.addresses(2)).toEqual([address(1), address(2)])
  expect(index.addresses(1)).toBeUndefined()
  first()
  first()
  expect(index.addresses(1)).toEqual([address(1)])
  index.add(logCriteriaOf({ topics: [word(1)] }), 3)
  expect(index.addresses(9)).toBeUndefined()
})

test('refuses more values than it may hold, and has room again afterwards', () => {
  const index = createFilterIndex<number>(3)
  const remove = index.add(logCriteriaOf({ address: [address(1), address(2)] }), 1)
  expect(() => index.add(logCriteriaOf({ topics: [[word(1), word(2)]] }), 2)).toThrow('more than 3 values')
  expect(() => index.add(logCriteriaOf({ address: address(3), topics: [word(1)] }), 2)).toThrow('more than 3 values')
  remove()
  index.add(logCriteriaOf({ topics: [[word(1), word(2)]] }), 2)
  expect(index.size).toBe(1)
})

test('rules out no block with logs where filters name very many values', () => {
  const { bloom } = createSimChain().grow([log(1, 1)])
  const index = createFilterIndex<number>()
  const add = (from: number): (() => void) =>
    index.add(logCriteriaOf({ address: Array.from({ length: 1_000 }, (_, i) => address(from + i)) }), from)
  add(10_000)
  add(20_000)
  expect(index.mayMatch(parseBloom(bloom)!)).toBe(false)
  const remove = index.add(logCriteriaOf({ address: address(30_000) }), 1)
  expect(index.mayMatch(parseBloom(bloom)!)).toBe(true)
  expect(index.mayMatch(new Uint8Array(256))).toBe(false)
  remove()
  expect(index.mayMatch(parseBloom(bloom)!)).toBe(false)
})

test('gives what each filter alone would, whatever is added and removed', () => {
  const value = fc.integer({ min: 0, max: 3 })
  const list = fc.oneof(fc.constant<number[]>([]), fc.uniqueArray(value, { maxLength: 3 }))
  const criteria = fc
    .record({ addresses: list, topics: fc.array(list, { maxLength: 4 }) })
    .map(({ addresses, topics }): LogCriteria => ({
      addresses: new Set(addresses.map(address)),
      topics: topics.map((of) => new Set(of.map(word))),
    }))
  const logs = fc.array(
    fc.record({ address: value.map(address), topics: fc.array(value.map(word), { maxLength: 4 }) }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(criteria, fc.boolean()), { maxLength: 40 }), logs, (filters, reported) => {
      const index = createFilterIndex<number>()
      const removals = filters.map(([one], i) => index.add(one, i))
      for (const [i, [, stays]] of filters.entries()) if (!stays) removals[i]!()
      const expected = filters.flatMap(([one, stays], i) => {
        const at = reported.flatMap((entry, n) => (matchesLog(entry, one) ? [n] : []))
        return stays && at.length > 0 ? [[i, at]] : []
      })
      expect(index.match(reported)).toEqual(expected)
      if (expected.length > 0) {
        const { bloom } = createSimChain().grow(reported)
        expect(index.mayMatch(parseBloom(bloom)!)).toBe(true)
      }
    }),
  )
})
