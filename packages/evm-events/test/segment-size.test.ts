import { createContext, RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import { expect, test } from 'vitest'
import { createSegmentSize } from '../src/segment-size.ts'

const question = { method: 'eth_getLogs', params: undefined, notification: false }
const refusal = (rpc: RpcErrorObject): RpcError => new RpcError('rpc', rpc.message, { rpc })
const timeout = new RpcError('timeout', 'no answer')

function begin(mostBlocks?: () => number | undefined) {
  const limits = mostBlocks && { mostBlocks }
  const options = { firstBlocks: 1_000, maxBlocks: 1_000, aimBytes: 1e9, limits }
  const size = createSegmentSize({ ...options, context: createContext() })
  return { ...size, next: () => size.next(() => question) }
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
