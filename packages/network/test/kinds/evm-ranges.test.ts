import { rawJsonFromText, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { KnownLimit } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'

const ranges = networkKinds.evm.ranges!
const heads = { latest: 1_000, safe: 900, finalized: 800 }
const unknown = { latest: undefined, safe: undefined, finalized: undefined }
const address = `0x${'Ab'.repeat(20)}`

const logs = (filter: unknown, method = 'eth_getLogs'): RpcRequest => ({
  method,
  params: rawJsonFromValue([filter]),
  notification: false,
})

function ends(filter: unknown, at: typeof heads | typeof unknown = heads): string | undefined {
  const range = ranges.rangeOf(logs(filter), at)
  return range && `${range.from}-${range.to}${range.isCut ? ' cut' : ''}`
}

it('the methods are those whose facts say that they ask for a range, and the one of Arbitrum', () => {
  expect([...ranges.methods].toSorted()).toEqual(['arbtrace_filter', 'eth_getLogs', 'trace_filter'])
})

it.each<[filter: unknown, ends: string | undefined]>([
  [{ fromBlock: '0x1', toBlock: '0xa' }, '1-10'],
  [{ fromBlock: 'earliest', toBlock: 'latest' }, '0-1000'],
  [{ fromBlock: '0x1' }, '1-1000'],
  [{ fromBlock: null, toBlock: null }, '1000-1000'],
  [{}, '1000-1000'],
  [{ fromBlock: 'finalized', toBlock: 'safe' }, '800-900'],
  [{ fromBlock: 1, toBlock: 10 }, '1-10'],
  [{ fromBlock: '0x1', toBlock: 'pending' }, '1-1000'],
  [{ fromBlock: '0x1', toBlock: '0xffffffff' }, '1-1000 cut'],
  [{ fromBlock: '0x3e9', toBlock: '0xffffffff' }, undefined],
  [{ fromBlock: '0xa', toBlock: '0x1' }, undefined],
  [{ blockHash: `0x${'1'.repeat(64)}` }, undefined],
  [{ fromBlock: '0xffffffffffffffffff' }, undefined],
  [{ fromBlock: 'first' }, undefined],
  [{ fromBlock: -1 }, undefined],
  ['0x1', undefined],
  [null, undefined],
])('the range of %j is %s', (filter, range) => {
  expect(ends(filter)).toBe(range)
})

it('a range is known by its numbers where no head is', () => {
  expect(ends({ fromBlock: '0x1', toBlock: '0xffffff' }, unknown)).toBe('1-16777215')
  expect(ends({ fromBlock: '0x1', toBlock: 'latest' }, unknown)).toBeUndefined()
  expect(ends({ fromBlock: '0x1', toBlock: 'safe' }, unknown)).toBeUndefined()
})

it('params that are no array have no range', () => {
  for (const params of [undefined, rawJsonFromText('{"fromBlock":"0x1"}'), rawJsonFromText('[]')])
    expect(ranges.rangeOf({ method: 'eth_getLogs', params, notification: false }, heads)).toBeUndefined()
})

it('the key of a long search is made once for a call', () => {
  let printed = 0
  const many = Object.assign(
    Array.from({ length: 100 }, () => address),
    { toJSON: () => [printed++] },
  )
  const params = rawJsonFromText('[]', [{ fromBlock: '0x1', address: many, topics: [address, address, address] }])
  const keys = [1, 2].map(
    () => ranges.rangeOf({ method: 'eth_getLogs', params, notification: false }, { ...heads })!.key,
  )
  expect(keys[0]).toBe(keys[1])
  expect(printed).toBe(1)
})

it('equal searches have one key, whatever their ends, case and order', () => {
  const keyOf = (filter: object): string => ranges.rangeOf(logs({ fromBlock: '0x1', ...filter }), heads)!.key
  expect(keyOf({ address, topics: [] })).toBe(keyOf({ topics: [], address: address.toLowerCase(), toBlock: '0x9' }))
  expect(keyOf({ address })).not.toBe(keyOf({}))
  expect(keyOf({ address: Array.from({ length: 1_000 }, () => address) }).length).toBeLessThan(100)
  expect(ranges.rangeOf(logs({ fromBlock: '0x1' }, 'trace_filter'), heads)!.key).not.toBe(keyOf({}))
})

it('logs of any address are a kind of their own, for which those of some are the easier one', () => {
  const kindOf = (filter: object, method?: string) => {
    const { kind, easier } = ranges.rangeOf(logs({ fromBlock: '0x1', ...filter }, method), heads)!
    return [kind, easier]
  }
  expect(kindOf({ address })).toEqual(['eth_getLogs', undefined])
  expect(kindOf({ address: [address] })).toEqual(['eth_getLogs', undefined])
  expect(kindOf({})).toEqual(['eth_getLogs of any address', 'eth_getLogs'])
  expect(kindOf({ address: [] })).toEqual(['eth_getLogs of any address', 'eth_getLogs'])
  expect(kindOf({}, 'trace_filter')).toEqual(['trace_filter', undefined])
})

it.each<[code: number, message: string, refusal: unknown]>([
  [-32_602, 'range 20001 exceeds limit of 10000', { of: 'blocks', most: 10_000 }],
  [-32_005, 'query returned more than 10000 results', { of: 'results' }],
  [-32_005, 'limit exceeded', { of: 'unknown' }],
  [-32_603, 'Internal error', 'failed'],
  [-32_000, 'query timeout', 'failed'],
  [-32_602, 'invalid argument 0', undefined],
  [429, 'too many requests', undefined],
  [-32_000, 'header not found', undefined],
])('%i %s is read as %o', (code, message, refusal) => {
  const error = { code, message }
  const words = typeof refusal === 'object' ? { words: error } : {}
  const expected = typeof refusal === 'object' ? { ...refusal, ...words } : refusal
  expect(ranges.refusalOf(logs({}), error)).toEqual(expected)
})

it.each<[limit: Partial<KnownLimit>, error: unknown]>([
  [
    { blocks: 10, isReported: true },
    {
      code: -32_602,
      message: 'range 20 exceeds limit of 10. Try with this block range [0x1, 0xa].',
      data: { from: '0x1', to: '0xa', limit: 10 },
    },
  ],
  [
    { blocks: 4 },
    {
      code: -32_602,
      message: 'range 20 is too large for all upstreams. Try with this block range [0x1, 0x4].',
      data: { from: '0x1', to: '0x4' },
    },
  ],
  [
    { blocks: 5, of: 'results' },
    {
      code: -32_005,
      message: 'the query has more results than any upstream gives. Try with this block range [0x1, 0x5].',
      data: { from: '0x1', to: '0x5' },
    },
  ],
  [
    { of: 'results', words: { code: -32_005, message: 'as the node said' } },
    { code: -32_005, message: 'as the node said' },
  ],
])('a limit %j is told as %j', (limit, error) => {
  const range = ranges.rangeOf(logs({ fromBlock: '0x1', toBlock: '0x14' }), heads)!
  expect(ranges.refuse(range, { blocks: 10, of: 'blocks', isReported: false, words: undefined, ...limit })).toEqual(
    error,
  )
})

it('one block with too many results has no shorter range to try', () => {
  const range = ranges.rangeOf(logs({ fromBlock: '0x1', toBlock: '0x1' }), heads)!
  const limit = { blocks: 1, of: 'results', isReported: false, words: undefined } as const
  expect(ranges.refuse(range, limit).message).toBe('the query has more results than any upstream gives')
})

it.each([
  { topics: ['block range is too wide (maximum 1)'] },
  { maxBlockRange: 1 },
  { topics: ['0x\\u0041 too many blocks'] },
])('an error to a call with words such as %j says nothing of ranges', (filter) => {
  expect(
    ranges.refusalOf(logs(filter), { code: -32_602, message: 'block range is too wide (maximum 1)' }),
  ).toBeUndefined()
})
