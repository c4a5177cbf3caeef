import { expect, it } from 'vitest'
import { loadOnce } from '../src/load-once.ts'

it('loads once for all that wait, and again after a failure only', async () => {
  let loads = 0
  const load = loadOnce(async () => {
    if (++loads === 1) throw new TypeError('offline')
    return loads
  })
  const first = await Promise.allSettled([load(), load()])
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await Promise.all([load(), load()])).toEqual([2, 2])
  expect(await load()).toBe(2)
})
