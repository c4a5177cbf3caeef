import { RpcError } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createLimitTally, refusalOfAll, tallyRefusal } from '../../src/context/limit-tally.ts'

it('a batch that was refused as a whole names the longest wait of its calls, in whatever order they were refused', () => {
  const waits = fc.array(fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }), { minLength: 1 })
  fc.assert(
    fc.property(waits, (all) => {
      const tally = createLimitTally()
      for (const retryAfterMs of all) {
        tallyRefusal(tally, new RpcError('denied', 'too much', { httpStatus: 429, retryAfterMs }))
      }
      expect(refusalOfAll(tally)!.retryAfterMs ?? 0).toBe(Math.max(...all.map((ms) => ms ?? 0)))
      tally.hasAdmitted = true
      expect(refusalOfAll(tally)).toBeUndefined()
    }),
  )
})
