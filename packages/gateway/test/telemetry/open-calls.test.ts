import { expect, it } from 'vitest'
import { createOpenCalls } from '../../src/telemetry/open-calls.ts'

it('knows the oldest open call, in whatever order calls end', () => {
  const open = createOpenCalls()
  expect([open.count, open.oldestAt]).toEqual([0, undefined])
  const [first, second, third] = [10, 20, 30].map((now) => open.begin(now))
  open.end(second!)
  expect([open.count, open.oldestAt]).toEqual([2, 10])
  open.end(first!)
  expect([open.count, open.oldestAt]).toEqual([1, 30])
  const fourth = open.begin(40)
  open.end(third!)
  expect([open.count, open.oldestAt]).toEqual([1, 40])
  open.end(fourth)
  expect([open.count, open.oldestAt]).toEqual([0, undefined])
})

it('holds nothing of a call that has ended', () => {
  const open = createOpenCalls()
  const [first, second] = [open.begin(1), open.begin(2)]
  open.end(first)
  open.end(second)
  expect([first, second]).toEqual([
    { begunAt: 1, older: undefined, newer: undefined },
    { begunAt: 2, older: undefined, newer: undefined },
  ])
})
