import { describe, expect, it } from 'vitest'
import { median, pairedRatios, percentile, rotate, summarise } from '../src/statistics.ts'

describe('statistics', () => {
  it('takes the middle value, or the mean of the middle two', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 10, 2])).toBe(3)
    expect(() => median([])).toThrow(RangeError)
  })

  it('summarises without changing what it was given', () => {
    const values = [3, 1, 2]
    expect(summarise(values)).toEqual({ median: 2, min: 1, max: 3 })
    expect(values).toEqual([3, 1, 2])
  })

  it('takes percentiles by nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, i) => 200 - i)
    expect(percentile(values, 50)).toBe(100)
    expect(percentile(values, 99)).toBe(198)
    expect(percentile(values, 100)).toBe(200)
    expect(percentile([7], 1)).toBe(7)
    expect(() => percentile([], 50)).toThrow(RangeError)
  })

  it('sorts numbers, not their digits', () => {
    expect(percentile([10, 9, 100], 50)).toBe(10)
    expect(median([10, 9, 100])).toBe(10)
  })

  it('pairs ratios by round, so that a slow round does not show', () => {
    const nginx = [10, 20, 10]
    const subject = [30, 60, 30]
    expect(pairedRatios(subject, nginx)).toEqual([3, 3, 3])
    expect(() => pairedRatios([1], [1, 2])).toThrow(RangeError)
  })

  it('gives each subject each place in turn', () => {
    const rounds = [0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''))
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc'])
    expect(rotate([], 3)).toEqual([])
  })
})
