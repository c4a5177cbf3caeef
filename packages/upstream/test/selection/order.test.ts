import {
  createCandidate,
  createSelection,
  createUpstreamHealth,
  primariesFirst,
  ranked,
  type UpstreamOrder,
} from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { answering } from '../support.ts'
import { candidate, namesOf, read } from './candidates.ts'

const reversed: UpstreamOrder = (eligible) => eligible.toReversed()

describe('orders', () => {
  it('ask fallbacks after primaries, each tier in the order of the policy', () => {
    const candidates = [
      candidate('a', { tier: 'fallback' }),
      candidate('b'),
      candidate('c', { tier: 'fallback' }),
      candidate('d'),
    ]
    expect(namesOf(primariesFirst(reversed)(candidates, read(0)))).toBe('dbca')
    expect(namesOf(candidates)).toBe('abcd')
  })

  it('sort by any rank, and leave those of one rank to the policy', () => {
    const candidates = [candidate('a'), candidate('b'), candidate('c')]
    const byCall = ranked(({ endpoint }, { request }) => (endpoint.name === request.method ? 0 : 1), reversed)
    expect(namesOf(byCall(candidates, read(0, 'b')))).toBe('bca')
    expect(namesOf(byCall(candidates, read(0)))).toBe('cba')
  })
})

describe('calls of one affinity', () => {
  const shares = (candidates: readonly ReturnType<typeof candidate>[], selected = candidates) => {
    const { order } = createSelection({ candidates: selected, random: Math.random })
    const firsts = Array.from({ length: 3_000 }, (_, i) => order(read(0, 'eth_call', { affinity: `0x${i}` }))[0]!)
    return candidates.map((one) => firsts.filter((first) => first === one).length / 3_000)
  }

  it('go to one upstream, which the weights decide, and free ones before those that cost', () => {
    for (const share of shares(['a', 'b', 'c'].map((name) => candidate(name)))) expect(share).toBeCloseTo(1 / 3, 1)
    const [heavy, light, paid, fallback] = shares([
      candidate('a', { weight: 3 }),
      candidate('b'),
      candidate('c', { price: 1 }),
      candidate('d', { tier: 'fallback' }),
    ])
    expect(heavy).toBeCloseTo(3 / 4, 1)
    expect(light).toBeCloseTo(1 / 4, 1)
    expect([paid, fallback]).toEqual([0, 0])
  })

  it('move only if their own upstream is out, all of one affinity to the same next one, and come back with it', () => {
    const candidates = ['a', 'b', 'c'].map((name) => candidate(name))
    const selection = createSelection({ candidates, random: Math.random })
    const callOf = (i: number) => read(0, 'eth_call', { affinity: `0x${i}` })
    const before = Array.from({ length: 300 }, (_, i) => selection.order(callOf(i)))
    selection.cordon('a', 'an upgrade')
    for (const [i, order] of before.entries()) {
      const others = order.filter(({ endpoint }) => endpoint.name !== 'a')
      expect(selection.order(callOf(i))).toEqual(others)
    }
    selection.cordon('a', undefined)
    expect(before.map((_, i) => selection.order(callOf(i)))).toEqual(before)
  })
})

describe('a candidate', () => {
  const make = (options: object) => () =>
    createCandidate({
      endpoint: { name: 'a', handler: answering(1), carriesSubscriptions: false },
      health: createUpstreamHealth({ name: 'a' }),
      slots: 1,
      ...options,
    })

  it('refuses a weight or a price that is none', () => {
    expect(make({ weight: 0 })).toThrow(
      'the weight of a must be a number above 0, but is 0: cordon it to leave it alone',
    )
    expect(make({ weight: Number.POSITIVE_INFINITY })).toThrow('the weight of a')
    expect(make({ price: -1 })).toThrow('the price of a must be a number from 0 up, but is -1')
  })
})
