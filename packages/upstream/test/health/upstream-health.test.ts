import { createUpstreamHealth, type UpstreamHealth, type UpstreamHealthOptions } from '@wayleave/upstream'
import { beforeEach, describe, expect, it } from 'vitest'

let dueIn: number[] = []
let health: UpstreamHealth

const made = (options: Partial<UpstreamHealthOptions> = {}): UpstreamHealth =>
  createUpstreamHealth({ name: 'a', onProbeDue: (_health, inMs) => dueIn.push(inMs), ...options })

beforeEach(() => {
  dueIn = []
  health = made()
})

/** Lets calls be answered, one after another; returns the time after them. */
function answers(count: number, ms: number, from = 0, methodClass = 'read', of = health): number {
  let now = from
  for (let i = 0; i < count; i++) {
    const ticket = of.begin(methodClass, now)
    now += ms
    of.succeeded(ticket, now)
  }
  return now
}

const fail = (kind: Parameters<UpstreamHealth['failed']>[1], now: number, details = {}): void =>
  health.failed(health.begin('read', now), kind, now, details)

describe('the health of an upstream', () => {
  it('knows the latencies of each class', () => {
    answers(200, 20)
    answers(200, 2_000, 10_000, 'heavy')
    expect(health.of('read')!.p95Ms).toBeCloseTo(20, -0.5)
    expect(health.of('read')!.patienceMs).toBe(250)
    expect(health.of('heavy')!.p95Ms).toBeGreaterThan(1_900)
    expect(health.of('heavy')!.patienceMs).toBeGreaterThan(5_000)
    expect(health.of('logs')).toBeUndefined()
  })

  it('tells at most sixteen classes apart', () => {
    for (let i = 0; i < 100; i++) answers(1, 1, i * 10, `class${i}`)
    expect(Array.from({ length: 100 }, (_, i) => health.of(`class${i}`)).filter(Boolean)).toHaveLength(16)
    expect(health.inFlight).toBe(0)
  })

  it('counts the calls on their way, each end once', () => {
    const [one, two, three] = [1, 2, 3].map((now) => health.begin('read', now))
    expect(health.inFlight).toBe(3)
    health.succeeded(one!, 4)
    health.succeeded(one!, 4)
    health.abandoned(one!, 4)
    health.failed(one!, 'unreachable', 5)
    expect(health.inFlight).toBe(2)
    health.failed(two!, 'timeout', 6)
    health.abandoned(three!, 6)
    expect(health.inFlight).toBe(0)
    expect(health.of('read')!.inFlight).toBe(0)
  })
})

describe('a probe that somebody owes who has ended', () => {
  it('is asked for again, after the rest of the cooldown', () => {
    for (let i = 0; i < 10; i++) health.failed(health.begin('read', 0), 'unreachable', 0)
    expect(dueIn).toEqual([2_000])
    health.renewProbe(500)
    health.renewProbe(2_500)
    expect(dueIn).toEqual([2_000, 1_500, 0])
  })

  it('is asked for again where the upstream is suspected, and not where nothing speaks against it', () => {
    health.renewProbe(0)
    health.begin('read', 0)
    health.exclusion(1_500)
    health.renewProbe(1_600)
    expect(dueIn).toEqual([0, 0])
    health.probed(true, 1_700)
    health.renewProbe(1_700)
    expect(dueIn).toEqual([0, 0])
  })
})

describe('silence', () => {
  it('is suspicious after a second where nothing is known, and asks for a probe once', () => {
    health.begin('read', 0)
    expect(health.exclusion(1_000)).toBeUndefined()
    expect(health.exclusion(1_001)).toBe('suspected')
    expect(health.exclusion(1_500)).toBe('suspected')
    expect(dueIn).toEqual([0])
  })

  it('is suspicious after five times the usual, before any call has ended', () => {
    const now = answers(200, 100)
    health.begin('read', now)
    expect(health.exclusion(now + 450)).toBeUndefined()
    expect(health.exclusion(now + 600)).toBe('suspected')
  })

  it('is none while other calls are answered: a single slow call is no sign', () => {
    let now = answers(200, 20)
    health.begin('read', now)
    for (let i = 0; i < 100; i++) {
      now = answers(1, 20, now)
      expect(health.exclusion(now)).toBeUndefined()
    }
  })

  it('is measured by what is usual for the class of the call', () => {
    answers(100, 20)
    const now = answers(100, 3_000, 10_000, 'heavy')
    health.begin('heavy', now)
    expect(health.exclusion(now + 8_000)).toBeUndefined()
    expect(health.exclusion(now + 16_000)).toBe('suspected')
  })

  it('ends with an answer', () => {
    const ticket = health.begin('read', 0)
    expect(health.exclusion(1_500)).toBe('suspected')
    health.succeeded(ticket, 1_600)
    expect(health.exclusion(1_600)).toBeUndefined()
  })

  it('leaves the upstream out for a cooldown once two probes have failed, too', () => {
    health.begin('read', 0)
    health.exclusion(1_500)
    health.probed(false, 3_500)
    expect(health.exclusion(3_500)).toBe('suspected')
    expect(dueIn).toEqual([0, 0])
    health.probed(false, 5_500)
    expect(health.exclusion(5_500)).toBe('cooling_down')
    expect(dueIn).toEqual([0, 0, 2_000])
  })

  it('is not broken by an answered probe for longer than until the next suspicion', () => {
    health.begin('read', 0)
    health.exclusion(1_500)
    health.probed(true, 1_510)
    expect(health.exclusion(1_510)).toBeUndefined()
    expect(health.exclusion(2_600)).toBe('suspected')
  })

  it('is noticed where every call is given up for a faster upstream', () => {
    let now = answers(200, 20)
    for (let i = 0; i < 5; i++) {
      expect(health.exclusion(now)).toBeUndefined()
      const ticket = health.begin('read', now)
      now += 40
      health.abandoned(ticket, now)
    }
    expect(health.exclusion(now)).toBe('suspected')
    expect(dueIn).toEqual([0])
  })

  it('is none where callers leave early, or came long ago', () => {
    let now = answers(200, 20)
    for (let i = 0; i < 50; i++) health.abandoned(health.begin('read', now), now + 5)
    health.abandoned(health.begin('read', now), now + 100)
    now += 60_000
    health.begin('read', now)
    expect(health.exclusion(now + 50)).toBeUndefined()
  })

  it('ends without a prober when nothing is on its way', () => {
    health = createUpstreamHealth({ name: 'a' })
    const ticket = health.begin('read', 0)
    expect(health.exclusion(1_500)).toBe('suspected')
    health.abandoned(ticket, 1_600)
    expect(health.exclusion(1_600)).toBeUndefined()
  })
})

describe('failures', () => {
  it('leave a dead upstream out at the fourth; a probe decides when it is back, five calls when it is sound', () => {
    let now = answers(100, 20)
    for (let i = 0; i < 4; i++) fail('unreachable', now)
    expect(health.exclusion(now)).toBe('cooling_down')
    expect(health.until(now)).toBe(now + 2_000)
    expect(health.exclusion(now + 2_500)).toBe('cooling_down')
    health.probed(false, now + 2_500)
    expect(dueIn).toEqual([2_000, 4_000])
    health.probed(true, now + 6_500)
    expect(health.exclusion(now + 6_500)).toBe('half_open')
    now = answers(5, 20, now + 6_500)
    expect(health.exclusion(now)).toBeUndefined()
    expect(health.breaker).toBe('closed')
  })

  it('that a probe has met while calls were failing, too, count once', () => {
    health.begin('read', 0)
    health.exclusion(1_500)
    for (let i = 0; i < 4; i++) fail('unreachable', 1_600)
    health.probed(false, 3_500)
    expect(health.until(3_500)).toBe(3_600)
    expect(dueIn.at(-1)).toBe(100)
  })

  it('let calls try after the cooldown where nobody probes', () => {
    health = createUpstreamHealth({ name: 'a' })
    for (let i = 0; i < 4; i++) fail('internal', 0)
    expect(health.exclusion(1_999)).toBe('cooling_down')
    expect(health.exclusion(2_000)).toBe('half_open')
  })

  it.each(['lagging', 'pruned', 'range_too_large', 'method_missing'] as const)(
    'that concern one call do not count against it: %s',
    (kind) => {
      for (let i = 0; i < 100; i++) fail(kind, i)
      expect(health.exclusion(100)).toBeUndefined()
      expect(health.of('read')!.errorRate).toBe(0)
      expect(health.of('read')!.lagRate > 0).toBe(kind === 'lagging')
    },
  )

  it.each([
    ['rate_limited', 'rate_limited', 1_000],
    ['quota', 'quota_spent', 60_000],
    ['unauthorized', 'unauthorized', 10_000],
  ] as const)('%s holds calls off', (kind, exclusion, ms) => {
    fail(kind, 10)
    expect(health.exclusion(ms + 9)).toBe(exclusion)
    expect(health.until(20)).toBe(ms + 10)
    expect(health.exclusion(ms + 10)).toBeUndefined()
    expect(health.breaker).toBe('closed')
  })

  it('hold calls off for as long as an overloaded upstream asks', () => {
    fail('overloaded', 0, { retryAfterMs: 5_000 })
    expect(health.exclusion(4_999)).toBe('rate_limited')
    expect(health.isHoldOffReported).toBe(true)
    expect(health.exclusion(5_000)).toBeUndefined()
  })

  it('of a method are remembered', () => {
    fail('method_missing', 0, { method: 'trace_block' })
    expect(health.lacks('trace_block', 1_000)).toBe(true)
    expect(health.lacks('eth_call', 1_000)).toBe(false)
  })

  it('by a false answer cost a minute of trust', () => {
    fail('false_answer', 0)
    expect(health.exclusion(59_999)).toBe('false_answers')
    expect(health.exclusion(60_000)).toBeUndefined()
  })

  it('of a stream count though it has begun well', () => {
    const ticket = health.begin('read', 0)
    health.succeeded(ticket, 10)
    health.failed(ticket, 'unreachable', 20)
    expect(health.of('read')!.errorRate).toBeGreaterThan(0)
    expect(health.inFlight).toBe(0)
  })
})
