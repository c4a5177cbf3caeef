import { describe, expect, it } from 'vitest'
import { createHoldOff } from '../../src/health/hold-off.ts'

describe('a hold-off', () => {
  it('lasts as long as the upstream asks, an hour at most', () => {
    const holdOff = createHoldOff()
    holdOff.refused('rate_limited', 0, 10, 7_000)
    expect(holdOff).toMatchObject({ reason: 'rate_limited', until: 7_010, isReported: true })
    holdOff.refused('rate_limited', 0, 10, 1e12)
    expect(holdOff.until).toBe(10 + 3_600_000)
  })

  it('doubles with each refusal after its end, and is short again after a while', () => {
    const holdOff = createHoldOff()
    const times = []
    let now = 0
    for (let i = 0; i < 7; i++) {
      holdOff.refused('rate_limited', now, now)
      times.push(holdOff.until - now)
      now = holdOff.until
    }
    expect(times).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    now += 30_001
    holdOff.refused('rate_limited', now, now)
    expect(holdOff.until - now).toBe(1_000)
  })

  it('counts the refusals of calls that were on their way together as one', () => {
    const holdOff = createHoldOff()
    for (let i = 0; i < 50; i++) holdOff.refused('rate_limited', 0, 100 + i)
    expect(holdOff.until).toBe(1_100)
    // One that came after its end.
    holdOff.refused('rate_limited', 0, 1_200)
    expect(holdOff.until).toBe(1_100)
  })

  it('is longer for a quota, and names it, though a rate limit was met before', () => {
    const holdOff = createHoldOff()
    holdOff.refused('rate_limited', 0, 0)
    holdOff.refused('quota_spent', 0, 10)
    expect(holdOff).toMatchObject({ reason: 'quota_spent', until: 60_010, isReported: false })
    holdOff.refused('rate_limited', 0, 20)
    expect(holdOff).toMatchObject({ reason: 'quota_spent', until: 60_010 })
  })
})
