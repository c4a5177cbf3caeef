import { expect, test } from 'vitest'
import { collectAll, shrink } from '../src/collect.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

test('all garbage has been collected when it calls back, and not before', async () => {
  let held: object | undefined = { of: 'a caller' }
  const seen = new WeakRef(held)
  // It lives long, as what a burst of calls leaves behind does.
  const before = Promise.withResolvers<void>()
  collectAll(before.resolve)
  await before.promise
  await nextTurn()
  expect(seen.deref() === held).toBe(true)
  held = undefined
  // V8 keeps what was looked at until the turn ends.
  await nextTurn()
  const after = Promise.withResolvers<void>()
  let isDone = false
  collectAll(() => {
    isDone = true
    after.resolve()
  })
  expect(isDone).toBe(false)
  await after.promise
  await nextTurn()
  expect(seen.deref()).toBeUndefined()
})

test('a collection that ended before is not taken for it', async () => {
  const held: { it: object | undefined } = { it: { of: 'a caller' } }
  const seen = new WeakRef(held.it!)
  await nextTurn()
  // Its end is told in a later turn.
  shrink()
  held.it = undefined
  const isDone = Promise.withResolvers<void>()
  collectAll(isDone.resolve)
  await isDone.promise
  await nextTurn()
  expect(seen.deref()).toBeUndefined()
})
