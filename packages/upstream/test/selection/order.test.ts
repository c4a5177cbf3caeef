import { createCandidate, createUpstreamHealth, primariesFirst, ranked, type UpstreamOrder } from '@wayleave/upstream'
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
