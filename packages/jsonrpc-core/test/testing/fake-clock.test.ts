import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'

it('a fake clock stands still until it is moved, and runs what falls due in order, each at its own time', () => {
  const clock = new FakeClock(0)
  const ran: string[] = []
  const note = (name: string) => () => void ran.push(`${name} at ${clock.now()}`)
  clock.after(20, note('late'))
  clock.after(10, () => {
    note('early')()
    clock.after(5, note('set on the way'))
  })
  const stop = clock.after(1, note('stopped'))
  stop()
  expect([clock.now(), clock.timers, ran]).toEqual([0, 2, []])
  clock.advance(15)
  expect(ran).toEqual(['early at 10', 'set on the way at 15'])
  clock.advance(100)
  expect([ran.at(-1), clock.now(), clock.date() - clock.now(), clock.timers]).toEqual([
    'late at 20',
    115,
    1_700_000_000_000,
    0,
  ])
})
