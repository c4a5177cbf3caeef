import { createContext, RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import { describe, expect, test } from 'vitest'
import { createSegmentSize } from '../src/segment-size.ts'

const question = { method: 'eth_getLogs', params: undefined, notification: false }
const refusal = (rpc: RpcErrorObject): RpcError => new RpcError('rpc', rpc.message, { rpc })
const timeout = new RpcError('timeout', 'no answer')

function begin(mostBlocks?: () => number | undefined) {
  const limits = mostBlocks && { mostBlocks }
  const options = { firstBlocks: 1_000, maxBlocks: 1_000, aimBytes: 1e9, finalTo: 1e6, limits }
  const size = createSegmentSize({ ...options, context: createContext() })
  return { ...size, next: () => size.next(0, () => question) }
}

test.each([
  ['a timeout', timeout, 500],
  ['a limit of one block', refusal({ code: -32_000, message: 'eth_getLogs is limited to a 1 block range' }), 1],
])('%s counts for its part alone', (_, why, fewer) => {
  const size = begin()
  expect(size.failed(1_000, why)).toBe(fewer)
  expect(size.next()).toBe(1_000)
  expect(size.failed(1, why)).toBeUndefined()
})

test('a limit that a node tells counts for all that follow', () => {
  const size = begin()
  expect(size.failed(1_000, refusal({ code: -32_000, message: 'eth_getLogs is limited to a 300 range' }))).toBe(300)
  for (let i = 0; i < 100; i++) {
    expect(size.next()).toBe(300)
    size.passed(300, 2)
  }
})

test('a guess is doubled after four segments, then after each, and later where it was refused again', () => {
  const size = begin()
  const refuse = (blocks: number) =>
    size.failed(blocks, refusal({ code: -32_005, message: 'query returned too many results' }))
  const passesUntilMore = (): number => {
    const before = size.next()
    for (let i = 1; ; i++) {
      size.passed(size.next(), 2)
      if (size.next() > before) return i
    }
  }
  refuse(200)
  expect([size.next(), passesUntilMore(), passesUntilMore(), size.next()]).toEqual([100, 4, 1, 400])
  refuse(400)
  expect([size.next(), passesUntilMore()]).toEqual([200, 8])
})

test('asks for the known limit at the start, after refusals, and ever seldomer as segments pass', () => {
  let [asked, known] = [0, 10]
  const size = begin(() => (asked++, known))
  const pass = (count: number): void => {
    for (let i = 0; i < count; i++) size.passed(size.next(), 2)
  }
  pass(1_000)
  expect([size.next(), asked]).toEqual([10, 10])
  known = 5
  size.failed(10, timeout)
  expect([size.next(), asked]).toEqual([5, 11])
})

describe('aligned', () => {
  const next = (from: number, most: number, blocks = 1e6, finalTo = 1e6): number =>
    createSegmentSize({
      limits: { mostBlocks: () => most },
      context: createContext(),
      firstBlocks: 1e5,
      maxBlocks: blocks,
      aimBytes: 1e9,
      alignedIn: blocks,
      finalTo,
    }).next(from, () => question)

  test.each([
    [0, 10_000, 10_000],
    [12_345, 10_000, 7_655],
    [12_345, 800, 155],
    [12_500, 800, 500],
    [12_345, 2_048, 1_655],
    [12_345, 1, 1],
  ])(
    'from %i, where nodes take %i blocks, ends at a multiple of 1, 2 or 5 times a power of ten',
    (from, most, blocks) => expect(next(from, most)).toBe(blocks),
  )

  test('cuts a range in four or more', () => {
    expect(next(10_000, 10_000, 8_000)).toBe(2_000)
    expect(next(10_000, 10_000, 3)).toBe(1)
  })

  test('leaves blocks that may be replaced as they are', () => {
    expect([next(990, 100, 1e6, 999), next(990, 100, 1e6, 998)]).toEqual([10, 100])
  })

  test('a short one lowers no length, and a guess is doubled after four that end at round heights', () => {
    const options = { limits: undefined, context: createContext(), firstBlocks: 1_000, maxBlocks: 1e6, aimBytes: 1e9 }
    const size = createSegmentSize({ ...options, alignedIn: 1e6, finalTo: 1e6 })
    const after = (from: number): number => size.next(from, () => question)
    size.passed(after(999), 2)
    expect(after(1_000)).toBe(1_000)
    expect(size.failed(1_000, refusal({ code: -32_005, message: 'query returned too many results' }))).toBe(500)
    for (let i = 0; i < 4; i++) {
      expect(after(1_000)).toBe(500)
      size.passed(500, 2)
    }
    expect(after(1_000)).toBe(1_000)
  })
})
