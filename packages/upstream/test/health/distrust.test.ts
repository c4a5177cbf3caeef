import { describe, expect, it } from 'vitest'
import { createDistrust } from '../../src/health/distrust.ts'

describe('distrust', () => {
  it('doubles with each false answer, up to 64 times', () => {
    const distrust = createDistrust(1_000)
    const times = []
    for (let now = 0; now < 9; now++) {
      distrust.answeredFalsely(now, now)
      times.push(distrust.until - now)
    }
    expect(times).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64].map((n) => n * 1_000))
  })

  it('counts false answers to calls sent before the last one as one', () => {
    const distrust = createDistrust(1_000)
    distrust.answeredFalsely(0, 10)
    distrust.answeredFalsely(5, 20)
    expect(distrust.until).toBe(1_010)
  })

  it('is forgotten after sixteen verified answers', () => {
    const distrust = createDistrust(1_000)
    distrust.answeredFalsely(0, 0)
    for (let i = 0; i < 15; i++) distrust.verified()
    distrust.answeredFalsely(5_000, 5_000)
    expect(distrust.until).toBe(7_000)
    for (let i = 0; i < 16; i++) distrust.verified()
    distrust.answeredFalsely(9_000, 9_000)
    expect(distrust.until).toBe(10_000)
  })
})
