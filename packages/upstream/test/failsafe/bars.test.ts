import { describe, expect, it } from 'vitest'
import { around, quantileOf, type SimulatedUpstream, simulate } from '../simulation.ts'

const names = ['a', 'b', 'c']
const nodes = (make: (name: string, i: number) => Omit<SimulatedUpstream, 'name'>): SimulatedUpstream[] =>
  names.map((name, i) => ({ name, ...make(name, i) }))
const sound = around(20)

describe.each([1, 2, 3])('three upstreams, each failing every tenth call, 100,000 reads, seed %i', (seed) => {
  it.each([
    { hedges: false, most: 0.12 },
    { hedges: true, most: 0.17 },
  ])('answer all but a few, with few extra calls, and no breaker opens: $hedges', ({ hedges, most }) => {
    const upstreams = nodes(() => ({
      latencyMs: sound,
      failure: (random) => (random() < 0.1 ? 'internal' : undefined),
    }))
    const run = simulate({ upstreams, callsPerSecond: 100, seconds: 1_000, hedges, seed })
    expect(run.calls.length).toBeGreaterThan(98_000)
    expect(run.answeredShare).toBeGreaterThanOrEqual(0.9999)
    expect(run.extraShare).toBeLessThanOrEqual(most)
    expect(run.healthByName.filter(({ health }) => health === 'cooling_down')).toEqual([])
    for (const name of names) expect(run.askedOf(name) / run.calls.length).toBeGreaterThan(0.3)
  })
})

describe.each([
  { hedges: false, from: 0 },
  { hedges: false, from: 20_000 },
  { hedges: true, from: 20_000 },
])('one of three that hangs from $from ms on, at 100 calls a second, hedges: $hedges', ({ hedges, from }) => {
  const upstreams = nodes((_name, i) => ({
    latencyMs: (random, at) => (i === 0 && at >= from ? Number.POSITIVE_INFINITY : sound(random)),
  }))
  const run = simulate({ upstreams, callsPerSecond: 100, seconds: from / 1_000 + 90, hedges })
  const after = run.calls.filter(({ at }) => at >= from && at < from + 60_000)

  it('slows down less than 1 % of the calls in the first minute', () => {
    expect(after.length).toBeGreaterThan(5_500)
    expect(after.filter(({ ms, isAnswered }) => ms > 1_000 || !isAnswered).length).toBeLessThan(after.length / 100)
    const healthy = simulate({ upstreams: nodes(() => ({ latencyMs: sound })), callsPerSecond: 100, seconds: 60 })
    expect(quantileOf(run.calls, 0.99, from + 3_000, from + 60_000)).toBeLessThan(2 * quantileOf(healthy.calls, 0.99))
  })

  it('is asked by a few callers, and by probes less and less', () => {
    expect(run.askedOf('a', from)).toBeLessThanOrEqual(10)
    expect(run.askedOf('a', from + 3_000)).toBe(0)
    expect(run.probes['a']).toBeLessThan(9)
    expect(run.healthByName.map(({ health }) => health)).toEqual(['suspected', 'cooling_down'])
  })
})

describe('a dead upstream', () => {
  it.each([2, 10, 100, 1_000])('is left after five calls at most, at %i a second', (callsPerSecond) => {
    const isDead = (i: number, at: number): boolean => i === 0 && at >= 20_000
    const upstreams = nodes((_name, i) => ({
      latencyMs: (random, at) => (isDead(i, at) ? 2 : sound(random)),
      failure: (_random, at) => (isDead(i, at) ? 'unreachable' : undefined),
    }))
    const run = simulate({ upstreams, callsPerSecond, seconds: 60 })
    expect(run.answeredShare).toBe(1)
    expect(run.askedOf('a', 20_000)).toBeLessThanOrEqual(5)
    expect(run.askedOf('a', 20_000)).toBeGreaterThan(0)
  })

  it('is back within the cooldown, and has its share again', () => {
    const isDead = (i: number, at: number): boolean => i === 0 && at >= 10_000 && at < 15_000
    const upstreams = nodes((_name, i) => ({
      latencyMs: (random, at) => (isDead(i, at) ? 2 : sound(random)),
      failure: (_random, at) => (isDead(i, at) ? 'unreachable' : undefined),
    }))
    const run = simulate({ upstreams, callsPerSecond: 100, seconds: 60 })
    expect(run.healthByName.map(({ health }) => health)).toEqual(['cooling_down', 'half_open', undefined])
    expect(run.healthByName.at(-1)!.at).toBeLessThan(18_000)
    expect(run.askedOf('a', 20_000) / run.calls.filter(({ at }) => at >= 20_000).length).toBeGreaterThan(0.25)
  })
})

describe('shares', () => {
  it.each([1, 10, 100, 1_000])(
    'of three equal upstreams are a quarter at least, without a change, at %i a second',
    (callsPerSecond) => {
      const run = simulate({
        upstreams: nodes(() => ({ latencyMs: around(20) })),
        callsPerSecond,
        seconds: 60_000 / Math.max(callsPerSecond, 100),
      })
      for (const name of names) expect(run.askedOf(name) / run.calls.length).toBeGreaterThan(0.25)
      expect(run.outruns).toBe(0)
      expect(run.extraShare).toBe(0)
    },
  )

  it.each([
    { price: 0, callsPerSecond: 1 },
    { price: 0, callsPerSecond: 100 },
    { price: 3, callsPerSecond: 100 },
    { price: 0, callsPerSecond: 1_000 },
  ])(
    'of a paid one three times as slow are under 5 %: $price, $callsPerSecond a second',
    ({ price, callsPerSecond }) => {
      const upstreams = nodes((_name, i) => (i === 2 ? { latencyMs: around(60), price } : { latencyMs: around(20) }))
      const run = simulate({ upstreams, callsPerSecond, seconds: callsPerSecond === 1 ? 1_200 : 60, hedges: true })
      expect(run.askedOf('c') / run.calls.length).toBeLessThan(0.05)
      expect(run.askedOf('a') / run.calls.length).toBeGreaterThan(0.4)
    },
  )

  it('of a fallback are two calls a minute at most while primaries are healthy, and all when they are gone', () => {
    const upstreams = nodes((_name, i) => ({
      latencyMs: sound,
      tier: i === 2 ? 'fallback' : 'primary',
      failure: (random, at) => (i < 2 && (at >= 300_000 || random() < 0.001) ? 'unreachable' : undefined),
    }))
    const run = simulate({ upstreams, callsPerSecond: 100, seconds: 360, hedges: true })
    for (let minute = 0; minute < 5; minute++) {
      expect(run.askedOf('c', minute * 60_000, (minute + 1) * 60_000)).toBeLessThanOrEqual(2)
    }
    expect(run.answeredShare).toBe(1)
    expect(run.askedOf('c', 301_000) / run.calls.filter(({ at }) => at >= 301_000).length).toBe(1)
    expect(run.askedOf('a', 302_000)).toBe(0)
  })

  it('of one that is a half slower do not go to and fro', () => {
    const upstreams = nodes((_name, i) => ({ latencyMs: around(i === 0 ? 20 : 33) })).slice(0, 2)
    const run = simulate({ upstreams, callsPerSecond: 100, seconds: 600 })
    expect(run.outruns).toBeLessThan(6)
  })
})
