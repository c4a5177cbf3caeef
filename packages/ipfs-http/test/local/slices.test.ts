import { expect, test } from 'vitest'
import { createSlices } from '../../src/local/slices.ts'

const slice = 512 * 1024

function start(): { turn: ReturnType<typeof createSlices>['turn']; next: () => Promise<void>; waiting: () => number } {
  const runs: (() => void)[] = []
  const { turn } = createSlices((run) => void runs.push(run))
  return {
    turn,
    waiting: () => runs.length,
    async next() {
      for (const run of runs.splice(0)) run()
      await Promise.resolve()
    },
  }
}

test('one slice is given out in a turn of the loop, whoever asks, and another in the next', async () => {
  const { turn, next, waiting } = start()
  expect(turn('a', slice / 2)).toBeUndefined()
  expect(turn('b', slice / 2)).toBeUndefined()
  const done: string[] = []
  void turn('a', slice)!.then(() => done.push('a'))
  void turn('b', slice)!.then(() => done.push('b'))
  await next()
  expect(done).toEqual(['a'])
  await next()
  expect(done).toEqual(['a', 'b'])
  await next()
  // Nobody waits, so that no timer keeps the process alive.
  expect(waiting()).toBe(0)
  expect(turn('c', 1)).toBeUndefined()
})

test('lanes take turns, however many works of one of them wait', async () => {
  const { turn, next } = start()
  void turn('a', slice)
  const done: string[] = []
  for (let at = 0; at < 50; at++) void turn('a', slice)!.then(() => done.push('a'))
  void turn('b', slice)!.then(() => done.push('b'))
  void turn('b', slice)!.then(() => done.push('b'))
  for (let at = 0; at < 5; at++) await next()
  expect(done).toEqual(['a', 'b', 'a', 'b', 'a'])
})
