import { createContext, type RpcReply } from '@wayleave/jsonrpc-core'
import { createFairShare, createTurns } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { beginInTurns } from '../../src/rpc/begin-in-turns.ts'
import { createBusy } from '../../src/rpc/busy.ts'
import type { GatewayContext } from '../../src/context/context.ts'

/** Messages that are served until the test lets them go. */
function scene(nextTurn: (run: () => void) => void = (run) => void setImmediate(run)) {
  const served: { readonly of: string | undefined; end(failure?: Error): void }[] = []
  const turns = createTurns({ nextTurn })
  const busy = createBusy(createFairShare(1))
  const serve = beginInTurns(
    (_body, { tenant }) => {
      const { promise, resolve, reject } = Promise.withResolvers<RpcReply>()
      served.push({ of: tenant, end: (failure) => (failure ? reject(failure) : resolve({} as RpcReply)) })
      return promise
    },
    turns,
    busy,
  )
  const outcomes: string[] = []
  const send = (tenant: string, start: string, bytes: number): void => {
    const context = createContext({ tenant }) as unknown as GatewayContext
    serve(new TextEncoder().encode(start.padEnd(bytes)), context).then(
      () => outcomes.push('answered'),
      () => outcomes.push('failed'),
    )
  }
  return { served, send, outcomes, busy }
}

/** Many turns of the event loop. */
async function turnsPass(): Promise<void> {
  for (let i = 0; i < 200; i++) await new Promise((resolve) => void setImmediate(resolve))
}

it('serves batches of a project up to half a megabyte at a time, others meanwhile, and all of them at last', async () => {
  const { served, send, outcomes } = scene()
  for (let i = 0; i < 12; i++) send('greedy', ' [', 100_000)
  send('greedy', '{', 100)
  send('other', '[', 100_000)
  await turnsPass()
  expect(served.filter(({ of }) => of === 'greedy')).toHaveLength(6)
  expect(served.filter(({ of }) => of === 'other')).toHaveLength(1)
  for (let i = 0; outcomes.length < 14; i++) {
    served[i]!.end(i % 3 === 0 ? new Error('a bug') : undefined)
    await turnsPass()
  }
  expect(served).toHaveLength(14)
})

it('serves one batch that is longer', async () => {
  const { served, send, outcomes } = scene()
  send('greedy', '[', 1_000_000)
  send('greedy', '[', 1_000_000)
  await turnsPass()
  expect(served).toHaveLength(1)
  served[0]!.end()
  await turnsPass()
  expect(served).toHaveLength(2)
  served[1]!.end()
  await turnsPass()
  expect(outcomes).toEqual(['answered', 'answered'])
})

it('notes as under way what waits: messages for their turn, batches for room', async () => {
  const { served, send, outcomes, busy } = scene()
  send('greedy', '{', 1_000_000)
  await turnsPass()
  // A served request counts by the calls in it.
  expect([served.length, busy.isBusy]).toEqual([1, false])
  send('greedy', '{', 1_000_000)
  send('greedy', '{', 100)
  expect([served.length, busy.isBusy]).toEqual([2, true])
  await turnsPass()
  for (const each of served) each.end()
  await turnsPass()
  expect([outcomes.length, busy.isBusy]).toEqual([3, false])
  for (let i = 0; i < 2; i++) send('greedy', '[', 1_000_000)
  await turnsPass()
  expect([served.length, busy.isBusy]).toEqual([4, true])
  served[3]!.end()
  await turnsPass()
  served[4]!.end(new Error('a bug'))
  await turnsPass()
  expect([outcomes.length, busy.isBusy]).toEqual([5, false])
})

it('does not note as under way a call that found no room', () => {
  const busy = createBusy(createFairShare(1))
  expect([busy.calls.take('greedy', 1), busy.calls.take('greedy', 1)]).toEqual([true, false])
  expect(busy.isBusy).toBe(true)
  busy.calls.give('greedy', 1)
  expect(busy.isBusy).toBe(false)
})

it('gives others some turns of the event loop after each batch of a thousand calls', async () => {
  const runs: (() => void)[] = []
  const { served, send } = scene((run) => void runs.push(run))
  send('greedy', '[', 80_000)
  send('greedy', '[', 80_000)
  let turns = 0
  for (; served.length < 2 && turns < 100; turns++) {
    runs.shift()!()
    await new Promise((resolve) => void setImmediate(resolve))
  }
  expect([served.length, turns]).toEqual([2, expect.toSatisfy((count: number) => count >= 8)])
})
