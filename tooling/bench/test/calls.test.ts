import { describe, expect, it } from 'vitest'
import {
  blockCall,
  createLargeCall,
  createTracesCall,
  firstId,
  lastId,
  printAnswerHead,
  printRequest,
  smallCall,
} from '../src/calls.ts'

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

  it('have results of 2 kB and of 10,000,000 bytes', () => {
    expect(blockCall.tail.length - 1).toBeGreaterThan(1_900)
    expect(blockCall.tail.length - 1).toBeLessThan(2_500)
    expect(kinds[2]!.tail.length - 1).toBe(10_000_000)
    expect(kinds[3]!.tail.length - 1).toBe(10_000_000)
  })
})
