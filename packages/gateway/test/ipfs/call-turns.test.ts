import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createCallTurns } from '../../src/ipfs/call-turns.ts'

const stay = new AbortController().signal
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('leaves a turn to a project that has none, however many another one asks for', async () => {
  const turns = createCallTurns({ maxCalls: 10, waitMs: 1_000, clock: new FakeClock() })
  let greedy = 0
  for (let i = 0; i < 50; i++) void turns.take('greedy', stay).then((end) => end && greedy++)
  await settled()
  expect(greedy).toBe(9)
  expect(await turns.take('modest', stay)).toBeTypeOf('function')
})

it('gives turns to the projects that wait one after the other, and once for each end', async () => {
  const turns = createCallTurns({ maxCalls: 1, waitMs: 1_000, clock: new FakeClock() })
  const first = await turns.take('a', stay)
  const order: string[] = []
  for (const project of ['a', 'a', 'a', 'b', 'b']) {
    void turns.take(project, stay).then((end) => {
      order.push(project)
      setImmediate(() => {
        end!()
        end!()
      })
    })
  }
  first!()
  for (let i = 0; i < 12; i++) await settled()
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a'])
})

it('gives up a wait that takes too long, and that of a caller who has left, and forgets both', async () => {
  const clock = new FakeClock()
  const turns = createCallTurns({ maxCalls: 1, waitMs: 1_000, clock })
  const end = await turns.take('a', stay)
  const leaving = new AbortController()
  const waits = [turns.take('a', stay), turns.take('b', leaving.signal)]
  leaving.abort()
  clock.advance(1_000)
  expect(await Promise.all(waits)).toEqual([undefined, undefined])
  expect(await turns.take('b', leaving.signal)).toBeUndefined()
  end!()
  expect(await turns.take('c', stay)).toBeTypeOf('function')
})
