import { describe, expect, it } from 'vitest'
import {
  batchCall,
  blockCall,
  cachedCall,
  createLargeCall,
  createTracesCall,
  firstId,
  lastId,
  printAnswerHead,
  printHeadOf,
  printRequest,
  smallCall,
  tailOf,
} from '../src/calls.ts'
import { oldHeight } from '../src/mix/results.ts'

const kinds = [smallCall, blockCall, createLargeCall(), createTracesCall()]

describe('the calls', () => {
  it.each(kinds)('$title: is JSON both ways', (kind) => {
    const request = JSON.parse(printRequest(kind, 123_456_789)) as { method: string; id: number }
    expect(request).toMatchObject({ method: kind.method, id: 123_456_789 })
    const answer = JSON.parse(printAnswerHead(123_456_789) + kind.tail.toString()) as { result: unknown }
    expect(answer.result).toBeTruthy()
  })

  it.each(kinds)('$title: has the same length and other params for every id', (kind) => {
    expect(printRequest(kind, lastId)).toHaveLength(printRequest(kind, firstId).length)
    expect(kind.params(firstId)).not.toBe(kind.params(firstId + 1))
  })

  it('of a batch have ids of their own, and params that no other batch has', () => {
    const [first, second] = [firstId, firstId + 1].map(
      (id) => JSON.parse(printRequest(batchCall, id)) as { id: number; params: [string] }[],
    )
    expect(first).toHaveLength(20)
    expect(new Set([...first!, ...second!].map(({ params }) => params[0])).size).toBe(40)
    const answer = JSON.parse(printHeadOf(batchCall, firstId) + tailOf(batchCall).toString()) as { id: number }[]
    expect(answer.map(({ id }) => id)).toEqual(first!.map(({ id }) => id))
    expect(printRequest(batchCall, lastId)).toHaveLength(printRequest(batchCall, firstId).length)
  })

  it('that may be cached are always the same but for their id', () => {
    expect(cachedCall.params(firstId)).toBe(cachedCall.params(lastId))
  })

  it.each([
    ['logs', kinds[2]!],
    ['traces', kinds[3]!],
  ])('for %s name final blocks, whose answers the node of the mix leaves to them', (_, kind) => {
    for (const id of [firstId, firstId + 1, lastId]) {
      const [first] = JSON.parse(kind.params(id)) as [string | { readonly fromBlock: string }]
      expect(Number(typeof first === 'string' ? first : first.fromBlock)).toBeLessThan(oldHeight)
    }
  })

  it('have results of 2 kB and of 10,000,000 bytes', () => {
    expect(blockCall.tail.length - 1).toBeGreaterThan(1_900)
    expect(blockCall.tail.length - 1).toBeLessThan(2_500)
    expect(kinds[2]!.tail.length - 1).toBe(10_000_000)
    expect(kinds[3]!.tail.length - 1).toBe(10_000_000)
  })
})
