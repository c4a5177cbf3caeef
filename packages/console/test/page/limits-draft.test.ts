import { describe, expect, it } from 'vitest'
import { draftOf, limitsOf } from '../../src/page/pages/accounts/limits-draft.ts'

describe('the fields of limits', () => {
  it('give back the limits that they were filled with', () => {
    const limits = { perSecond: { credits: 10, burst: 20 }, perDay: { credits: 1_000, action: 'warn' as const } }
    expect(limitsOf(draftOf(limits))).toEqual(limits)
  })

  it('ask for a rate where there is a burst', () => {
    expect(() => limitsOf({ ...draftOf(), burst: '20' })).toThrow(
      expect.objectContaining({ issues: [{ path: 'limits.perSecond.credits', message: 'needed with a burst' }] }),
    )
  })
})
