import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Pin } from '../../src/pin-ledger.ts'
import { createMemoryPinLedger } from '../../src/server/index.ts'
import { createPinClaims, type PinClaim } from '../../src/server/pin-claims.ts'

const pinNamed = (name: string): Pin => ({ cid: 'QmA', type: 'recursive', name, bytes: 1n })

/** The names of what is put, and what becomes of each in which order: the pin that has to be there in the end. */
function expected(
  before: string | undefined,
  steps: readonly (readonly [call: number, end: 'keep' | 'undo'])[],
): unknown {
  const kept = steps.filter(([, end]) => end === 'keep').map(([call]) => call)
  return kept.length === 0 ? before : `call ${Math.max(...kept)}`
}

test('whatever calls fail or succeed, and in whatever order, the newest pin that was kept is there', async () => {
  const outcome = fc.constantFrom('keep' as const, 'undo' as const)
  const plan = fc.array(outcome, { minLength: 1, maxLength: 5 }).chain((ends) =>
    fc.shuffledSubarray(
      ends.map((end, call) => [call, end] as const),
      { minLength: ends.length },
    ),
  )
  await fc.assert(
    fc.asyncProperty(plan, fc.option(fc.constant('before'), { nil: undefined }), async (steps, before) => {
      const ledger = createMemoryPinLedger()
      if (before !== undefined) await ledger.put('p', pinNamed(before))
      const claims = createPinClaims(ledger)
      const calls = await Promise.all(
        steps.map((_, call) => claims.put('p', pinNamed(`call ${call}`), () => undefined)),
      )
      for (const [call, end] of steps) await (calls[call] as PinClaim)[end]()
      expect((await ledger.get('p', 'QmA'))?.name).toBe(expected(before, steps))
      expect((await ledger.usage('p', '')).storedBytes).toBe((await ledger.isPinned('QmA')) ? 1n : 0n)
    }),
    { numRuns: 200 },
  )
})

test('what was removed meanwhile is not put back by a call that fails', async () => {
  const ledger = createMemoryPinLedger()
  await ledger.put('p', pinNamed('before'))
  const claims = createPinClaims(ledger)
  const claim = (await claims.put('p', pinNamed('new'), () => undefined)) as PinClaim
  expect(await claims.change('p', ['QmA'], () => ledger.remove('p', 'QmA'))).toEqual(true)
  expect(await claim.undo()).toBe(false)
  expect(await ledger.get('p', 'QmA')).toBeUndefined()
})

test('a pin beyond the quota changes nothing, and a ledger that fails does not hold up the next call', async () => {
  const ledger = createMemoryPinLedger()
  const claims = createPinClaims(ledger)
  expect(await claims.put('p', pinNamed('large'), () => 0n)).toBe('quota')
  await expect(claims.change('p', [], () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  const claim = (await claims.put('p', pinNamed('small'), () => 1n)) as PinClaim
  expect(await claim.undo()).toBe(true)
  expect(await ledger.isPinned('QmA')).toBe(false)
})
