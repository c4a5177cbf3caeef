import { expect, test } from 'vitest'
import { createReleases } from '../../src/server/releases.ts'

test('what was forgotten after a moment is known, and of what is no longer known the worst is assumed', () => {
  const releases = createReleases(2)
  releases.note('a')
  const moment = releases.now()
  expect(releases.since('a', moment)).toBe(false)
  releases.note('b')
  expect([releases.since('a', moment), releases.since('b', moment)]).toEqual([false, true])
  releases.note('a')
  expect(releases.since('a', moment)).toBe(true)
  releases.note('c')
  expect(releases.since('other', moment)).toBe(true)
  expect(releases.since('other', releases.now())).toBe(false)
})
