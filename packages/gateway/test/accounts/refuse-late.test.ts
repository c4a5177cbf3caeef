import type { AuthFailure, AuthResult } from '@wayleave/auth'
import { expect, it } from 'vitest'
import { refuseLate } from '../../src/accounts/refuse-late.ts'

const admitted: AuthResult = { project: { id: 'p', name: 'P', requireSecret: false }, keyId: 'k' }

/** A check whose results come one after the other, and changes of which one is read if `isChanged`. */
function scene(results: readonly AuthResult[], isChanged: boolean, isLate = false) {
  const changes = {
    seq: 1,
    reads: 0,
    async readAgain() {
      changes.reads++
      if (isChanged) changes.seq++
    },
  }
  let nth = 0
  const check = refuseLate(() => {
    const result = results[nth++]!
    return isLate ? Promise.resolve(result) : result
  }, changes)
  return { changes, check, asked: () => nth }
}

const failures: readonly AuthFailure[] = [
  'unknown_key',
  'wrong_secret',
  'secret_required',
  'wrong_token',
  'token_required',
]

it.each(failures)('reads before it refuses a caller for %s, and admits one whom a change lets in', async (failure) => {
  for (const isLate of [false, true]) {
    const still = scene([{ failure }], false, isLate)
    expect(await still.check('key', undefined)).toEqual({ failure })
    expect([still.changes.reads, still.asked()]).toEqual([1, 1])
    const changed = scene([{ failure }, admitted], true, isLate)
    expect(await changed.check('key', undefined)).toBe(admitted)
    expect([changed.changes.reads, changed.asked()]).toEqual([1, 2])
  }
})

it('admits without a read, and reads nothing for a caller without a key', () => {
  const { changes, check } = scene([admitted, { failure: 'no_key' }], true)
  expect(check('key', undefined)).toBe(admitted)
  expect(check(undefined, undefined)).toEqual({ failure: 'no_key' })
  expect(changes.reads).toBe(0)
})

it('checks again where a change came while a token was verified', async () => {
  const { changes, check } = scene([{ failure: 'wrong_token' }, admitted], false, true)
  const answer = check('key', 'Bearer a')
  changes.seq++
  expect(await answer).toBe(admitted)
})
