import { type Candidate, createSpend, powerOfTwo, type UpstreamOrder } from '@wayleave/upstream'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { seeded } from '../simulation.ts'
import { answerAll, candidate, namesOf, read } from './candidates.ts'

/** The share of each candidate in the first places of many orders. */
function sharesOf(order: UpstreamOrder, candidates: readonly Candidate[], now: number): number[] {
  const firsts = Array.from({ length: 2_000 }, () => order(candidates, read(now))[0]!)
  return candidates.map((one) => firsts.filter((first) => first === one).length / firsts.length)
}

const policy = (seed = 1): UpstreamOrder => powerOfTwo({ random: seeded(seed) })

describe('power of two choices', () => {
  it('gives upstreams that are alike equal shares, and others by weight', () => {
    const equal = ['a', 'b', 'c'].map((name) => candidate(name))
    for (const share of sharesOf(policy(), equal, 0)) expect(share).toBeCloseTo(1 / 3, 1)
    const weighted = [candidate('a', { weight: 3 }), candidate('b')]
    expect(sharesOf(policy(), weighted, 0)[0]).toBeCloseTo(0.75, 1)
  })

  it('orders the others by their cost, and does not touch what it is given', () => {
    const candidates = ['a', 'b', 'c', 'd'].map((name) => candidate(name))
    for (const [i, ms] of [80, 10, 320, 160].entries()) answerAll(candidates[i]!, 50, ms)
    const now = 16_500
    expect(namesOf(policy()(candidates, read(now)))).toBe('badc')
    expect(namesOf(candidates)).toBe('abcd')
  })

  it('asks the one with fewer calls on their way', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    for (let i = 0; i < 2; i++) a.health.begin('read', 0)
    expect(sharesOf(policy(), [a, b], 1)).toEqual([0, 1])
  })

  it('leaves an upstream at twice the latency, and takes it back below 1.4 times', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    const order = policy()
    let now = 0
    const shareAt = (ratio: number): number => {
      // So many that both the mean and the quantiles have followed.
      for (let i = 0; i < 5_000; i++, now += 20 * ratio) {
        answerAll(a, 1, 20, now)
        answerAll(b, 1, 20 * ratio, now)
      }
      return sharesOf(order, [a, b], now)[1]!
    }
    expect(shareAt(1.6)).toBeGreaterThan(0.4)
    expect(shareAt(2.5)).toBe(0)
    expect(shareAt(1.6)).toBe(0)
    expect(shareAt(1.2)).toBeGreaterThan(0.4)
  })

  it('turns away from failures', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    for (let now = 0; now < 3_000; now += 10) {
      answerAll(b, 1, 10, now)
      const ticket = a.health.begin('read', now)
      if (now % 30 === 0) a.health.failed(ticket, 'internal', now + 10)
      else a.health.succeeded(ticket, now + 10)
    }
    expect(sharesOf(policy(), [a, b], 3_000)).toEqual([0, 1])
  })

  it('prefers those that are not behind, a little', () => {
    const candidates = [candidate('a'), candidate('b'), candidate('c')]
    const lags: Record<string, number> = { a: 4, b: 0, c: 20 }
    const order = powerOfTwo({ random: seeded(1), lagOf: ({ endpoint }) => lags[endpoint.name]! })
    const shares = sharesOf(order, candidates, 0)
    expect(shares.map((share) => share > 0)).toEqual([true, true, true])
    for (const one of candidates) answerAll(one, 20, one.endpoint.name === 'c' ? 30 : 20)
    expect(sharesOf(order, candidates, 700).map((share) => share > 0)).toEqual([true, true, false])
  })

  it('asks one that costs money when the free one is much slower', () => {
    const spend = createSpend({ clock: new FakeClock(0) })
    const [own, paid] = [candidate('a'), candidate('b', { spend })]
    expect(sharesOf(policy(), [own, paid], 0)).toEqual([1, 0])
    answerAll(own, 50, 400)
    answerAll(paid, 50, 20)
    answerAll(paid, 50, 20, 19_000)
    expect(sharesOf(policy(), [own, paid], 20_000)).toEqual([0, 1])
  })

  it('expects no answer soon where one is owed for long', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    for (const one of [a, b]) answerAll(one, 50, 20)
    a.health.begin('read', 1_000)
    b.health.begin('read', 1_000)
    answerAll(b, 1, 20, 1_140)
    expect(sharesOf(policy(), [a, b], 1_020)[0]).toBeGreaterThan(0.4)
    expect(sharesOf(policy(), [a, b], 1_160)).toEqual([0, 1])
  })

  it('takes an upstream back that was slow for long, once it is sound again', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    const order = policy()
    let asked = 0
    for (let now = 0; now < 600_000; now += 100) {
      const isSlow = now < 300_000
      const first = order([a, b], read(now))[0]!
      if (first === b && now > 420_000) asked++
      answerAll(first, 1, first === b && isSlow ? 90 : 9, now)
    }
    expect(asked).toBeGreaterThan(800)
  })

  it('tries a slow upstream again after a while, with a call or two', () => {
    const [a, b] = [candidate('a'), candidate('b')]
    answerAll(a, 50, 20)
    answerAll(b, 50, 200)
    const order = policy()
    let asked = 0
    for (let now = 10_000; now < 130_000; now += 100) {
      const first = order([a, b], read(now))[0]!
      if (first === b) asked++
      answerAll(first, 1, first === a ? 20 : 200, now)
    }
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(12)
  })
})
