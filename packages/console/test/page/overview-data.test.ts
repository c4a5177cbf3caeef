import { describe, expect, it } from 'vitest'
import { totalsOf } from '../../src/page/pages/overview-data.ts'

describe('the totals of the overview', () => {
  it('have the pace of the newest step', () => {
    const none = { from: 0, to: 30_000, since: undefined, measured: [], credits: undefined }
    const { rate, calls } = totalsOf({ ...none, step: 10_000, at: [0, 10_000], calls: [10, 40], errors: [0, 0] })
    expect(rate).toBe(4)
    expect(calls).toBe(50)
  })
})
