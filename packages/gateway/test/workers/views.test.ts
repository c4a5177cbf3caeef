import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createSharedView, type SharedView } from '@wayleave/stores/shared-state'
import { createPrimaryPort } from '../../src/shared-state/primary-port.ts'
import { createWorkerPort } from '../../src/shared-state/worker-port.ts'
import { rejectionOf } from '../support.ts'
import { gatedPair } from './gated-pair.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Two workers whose lines can be made to stand. */
async function begin() {
  const clock = new FakeClock()
  const port = createPrimaryPort({ clock, processes: () => 3 })
  const reported = createSharedView(port, 'mainnet') as Required<SharedView>
  const join = () => {
    const pair = gatedPair()
    port.serve(pair.primary)
    const view = createSharedView(createWorkerPort(pair.worker, { clock }), 'mainnet') as Required<SharedView>
    return { ...pair, view }
  }
  const workers = { a: join(), b: join() }
  await Promise.all([workers.a.view.settled(), workers.b.view.settled()])
  /** Whether a promise has settled after a turn: how. */
  async function stateOf(promise: Promise<unknown>): Promise<'waits' | 'settled' | 'failed'> {
    let state: 'waits' | 'settled' | 'failed' = 'waits'
    promise.then(
      () => (state = 'settled'),
      () => (state = 'failed'),
    )
    for (let i = 0; i < 4; i++) await turn()
    return state
  }
  return { clock, reported, join, ...workers, stateOf }
}

it('a head that one worker raised is known to all others before it is told', async () => {
  const { a, b, stateOf } = await begin()
  b.hold()
  a.view.raise(7, { hash: '0x7', by: 'node' })
  const settled = a.view.settled()
  expect(await stateOf(settled)).toBe('waits')
  const heard: unknown[] = []
  b.view.watch((...news) => heard.push(news))
  b.release()
  await settled
  expect([b.view.head, heard]).toEqual([7, [[7, { hash: '0x7', by: 'node' }]]])
})

it('a worker whose line stands holds others up for 50 ms, and tells nothing until it has caught up', async () => {
  const { clock, a, b, stateOf } = await begin()
  b.hold()
  a.view.raise(7)
  const settled = a.view.settled()
  expect(await stateOf(settled)).toBe('waits')
  clock.advance(49)
  expect(await stateOf(settled)).toBe('waits')
  clock.advance(1)
  expect(await stateOf(settled)).toBe('settled')
  const late = b.view.settled()
  expect(await stateOf(late)).toBe('waits')
  expect(b.view.head).toBe(0)
  b.release()
  await late
  expect(b.view.head).toBe(7)
})

it('a worker that stands, or serves nobody, holds up nobody for longer than its lease', async () => {
  const { clock, a, b, stateOf } = await begin()
  b.hold()
  clock.advance(50)
  a.view.raise(7)
  expect(await stateOf(a.view.settled())).toBe('settled')
  a.view.raise(8)
  expect(await stateOf(a.view.settled())).toBe('settled')
  b.release()
  await b.view.settled()
  expect(b.view.head).toBe(8)
})

it('the lease of a worker begins when it asks for it, however long the answer is on its way', async () => {
  const { clock, a, b, stateOf } = await begin()
  clock.advance(30)
  b.hold()
  // The lease holds still; it is renewed in the background.
  await b.view.settled()
  clock.advance(60)
  b.release()
  b.hold()
  await turn()
  a.view.raise(7)
  expect(await stateOf(a.view.settled())).toBe('settled')
  const late = b.view.settled()
  expect(await stateOf(late)).toBe('waits')
  b.release()
  await late
  expect(b.view.head).toBe(7)
})

it('a worker that hears nothing for a second fails calls rather than tell heads', async () => {
  const { clock, b } = await begin()
  b.hold()
  clock.advance(50)
  const late = rejectionOf(b.view.settled())
  clock.advance(1_000)
  expect(await late).toMatchObject({ code: 'unavailable', delivery: 'not_sent' })
})

it('settles at once, and asks nothing, while the primary was heard of a moment ago', async () => {
  const { clock, a } = await begin()
  const before = a.sent()
  for (let i = 0; i < 1_000; i++) await a.view.settled()
  expect(a.sent()).toBe(before)
  clock.advance(20)
  for (let i = 0; i < 1_000; i++) await a.view.settled()
  expect(a.sent()).toBe(before + 1)
})

it('nonces are shared alike, and one that is told again is not passed on again for a while', async () => {
  const { clock, a, b } = await begin()
  a.view.raiseNonce('0xab', 3, clock.now())
  await a.view.settled()
  expect(b.view.nonceOf('0xab', clock.now())).toBe(3)
  const before = b.sent()
  for (let i = 0; i < 100; i++) {
    clock.advance(100)
    b.view.raiseNonce('0xab', 3, clock.now())
    await turn()
  }
  expect(b.sent()).toBe(before)
  clock.advance(6_000)
  b.view.raiseNonce('0xab', 3, clock.now())
  await turn()
  expect(b.sent()).toBe(before + 1)
  await b.view.settled()
  clock.advance(50_000)
  expect([a.view.nonceOf('0xab', clock.now()), a.view.nonceOf('0xcd', clock.now())]).toEqual([3, 0])
})

it('a head that the primary sets back goes back everywhere, once for all workers that see it', async () => {
  const { a, b, reported } = await begin()
  a.view.raise(9)
  await a.view.settled()
  reported.lower(5)
  await a.view.settled()
  await turn()
  expect([a.view.head, b.view.head]).toEqual([5, 5])
  a.view.raise(6)
  await a.view.settled()
  a.view.lower(4)
  // The second one knew of nothing but the head before.
  b.hold()
  await turn()
  b.view.lower(4)
  b.release()
  await turn()
  a.view.raise(5)
  await a.view.settled()
  await turn()
  expect([a.view.head, b.view.head, reported.head]).toEqual([5, 5, 5])
})

it('a worker that comes later knows what was told, and one that has gone holds nobody up', async () => {
  const { a, b, join, stateOf } = await begin()
  a.view.raise(7, { hash: '0x7' })
  a.view.raiseNonce('0xab', 2, 0)
  await a.view.settled()
  const c = join()
  await c.view.settled()
  expect([c.view.head, c.view.nonceOf('0xab', 1)]).toEqual([7, 2])
  b.hold()
  b.close()
  a.view.raise(8)
  expect(await stateOf(a.view.settled())).toBe('settled')
})
