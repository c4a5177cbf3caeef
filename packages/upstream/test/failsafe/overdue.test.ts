import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createOverdue, type Due } from '../../src/failsafe/overdue.ts'

it('one timer serves all who wait, also those who wait again as soon as they were called', () => {
  const clock = new FakeClock()
  const overdue = createOverdue(clock)
  let calls = 0
  const dues: Due[] = []
  function wait(nth: number): void {
    dues[nth] = overdue.after(clock.now(), 50, {
      late() {
        calls++
        wait(nth)
      },
    })
  }
  for (let nth = 0; nth < 5; nth++) wait(nth)
  clock.advance(1_000)
  expect(calls).toBeGreaterThan(50)
  expect(clock.timers).toBe(1)
  for (const due of dues) overdue.forget(due)
  clock.advance(20)
  expect(clock.timers).toBe(0)
})

it('nobody is late before a busy process has read what came meanwhile', () => {
  let now = 0
  let tick = (): void => {}
  const overdue = createOverdue({ now: () => now, date: () => 0, after: (_ms, run) => ((tick = run), () => {}) })
  const late: string[] = []
  const wait = (name: string): Due => overdue.after(now, 50, { late: () => void late.push(name) })
  const answered = wait('answered')
  wait('silent')
  now = 400
  tick()
  expect(late).toEqual([])
  overdue.forget(answered)
  // It goes on being busy: once is enough.
  now = 800
  tick()
  expect(late).toEqual(['silent'])
})
