import { describe, expect, it } from 'vitest'
import { type CircuitBreaker, createCircuitBreaker } from '@wayleave/jsonrpc-core'

/** Records outcomes, 10 ms apart: `.` a success, `x` a failure. Returns the time of the last one. */
function record(breaker: CircuitBreaker, outcomes: string, from = 0): number {
  let now = from
  for (const outcome of outcomes) {
    now += 10
    if (outcome === 'x') breaker.failed(now, now)
    else breaker.succeeded(now, now)
  }
  return now
}

describe('a circuit breaker', () => {
  it('opens at the fourth failure in a row where calls hardly ever fail', () => {
    const breaker = createCircuitBreaker()
    const now = record(breaker, `${'.'.repeat(100)}xxx`)
    expect(breaker.state).toBe('closed')
    record(breaker, 'x', now)
    expect(breaker).toMatchObject({ state: 'open', until: now + 10 + 2_000 })
  })

  it('opens at the fourth failure of one that has never answered', () => {
    const breaker = createCircuitBreaker()
    record(breaker, 'xxx')
    expect(breaker.state).toBe('closed')
    record(breaker, 'x', 30)
    expect(breaker.state).toBe('open')
  })

  it('takes six failures in a row for chance where every tenth call fails', () => {
    const breaker = createCircuitBreaker()
    const now = record(breaker, `${'.........x'.repeat(50)}.xxxxxx`)
    expect(breaker.state).toBe('closed')
    record(breaker, 'xxx', now)
    expect(breaker.state).toBe('open')
  })

  it('opens at two failures that are a second apart, with no success between them', () => {
    const breaker = createCircuitBreaker()
    const now = record(breaker, '.'.repeat(500))
    breaker.failed(now, now)
    breaker.failed(now + 999, now + 999)
    expect(breaker.state).toBe('closed')
    breaker.failed(now + 1_000, now + 1_000)
    expect(breaker.state).toBe('open')
  })

  it('waits for twice as long after each failed trial, up to a minute', () => {
    const breaker = createCircuitBreaker()
    let now = record(breaker, 'xxxx')
    const cooldowns = []
    for (let i = 0; i < 8; i++) {
      cooldowns.push(breaker.until - now)
      now = breaker.until
      breaker.halfOpen(now)
      breaker.failed(now, now)
    }
    expect(cooldowns).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  })

  it('closes after five successes, and counts from the start after a minute without a failure', () => {
    const breaker = createCircuitBreaker()
    const opened = record(breaker, 'xxxx')
    breaker.halfOpen(opened + 2_000)
    let now = record(breaker, '....', opened + 2_000)
    expect(breaker.state).toBe('half_open')
    now = record(breaker, '.', now)
    expect(breaker.state).toBe('closed')
    const soon = record(breaker, 'xxxx', now)
    expect(breaker).toMatchObject({ state: 'open', until: soon + 4_000 })
    breaker.halfOpen(soon + 10_000)
    now = record(breaker, '.....', soon + 10_000)
    const later = record(breaker, 'xxxx', now + 60_000)
    expect(breaker).toMatchObject({ state: 'open', until: later + 2_000 })
  })

  it('does not learn from calls that were sent before it opened', () => {
    const breaker = createCircuitBreaker()
    record(breaker, 'xxxx', 100)
    const { until } = breaker
    breaker.succeeded(50, 200)
    breaker.failed(50, 200)
    expect(breaker).toMatchObject({ state: 'open', until })
    breaker.halfOpen(3_000)
    breaker.failed(50, 3_100)
    expect(breaker.state).toBe('half_open')
  })

  it('is half open at once when a call that was sent in spite of it is answered', () => {
    const breaker = createCircuitBreaker()
    const now = record(breaker, 'xxxx')
    breaker.succeeded(now + 1, now + 2)
    expect(breaker.state).toBe('half_open')
  })

  it('lets one call try after each cooldown, whose success closes it where one is enough', () => {
    const breaker = createCircuitBreaker({ cooldownMs: 100, failures: 3, trials: 1 })
    const now = record(breaker, 'xxx')
    expect([breaker.mayCall(now + 99), breaker.mayCall(now + 100), breaker.mayCall(now + 100)]).toEqual([
      false,
      true,
      false,
    ])
    expect([breaker.mayCall(now + 299), breaker.mayCall(now + 300)]).toEqual([false, true])
    breaker.succeeded(now + 300, now + 301)
    expect([breaker.state, breaker.mayCall(now + 301)]).toEqual(['closed', true])
  })
})
