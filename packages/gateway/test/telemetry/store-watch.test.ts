import { createLog } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { type StoreWatch, watchStore } from '../../src/telemetry/store-watch.ts'
import { rejectionOf } from '../support.ts'

const fails = (fault: string) => Promise.reject(Object.assign(new Error(`the file /secret/place: ${fault}`), { fault }))
const never = new Promise<void>(() => {})

/** A watch of a store that probes as `probe` says, with its log. */
function start(kind: StoreWatch['kind'] = 'sqlite') {
  const clock = new FakeClock()
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const state = { probe: (): Promise<void> => Promise.resolve(), probes: 0 }
  const probe = (): Promise<void> => {
    state.probes++
    return state.probe()
  }
  const watch = watchStore({ kind, probe, clock, log })
  /** Lets time pass, in steps that let promises settle. */
  const pass = async (ms: number): Promise<void> => {
    for (let i = 0; i < ms; i += 100) {
      clock.advance(100)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { clock, lines, state, watch, pass }
}

it('tells a fault and its end within two seconds, each logged once', async () => {
  const { lines, state, watch, pass } = start()
  await pass(1_000)
  expect([watch.fault(), lines]).toEqual([undefined, []])
  state.probe = () => fails('full')
  await pass(2_000)
  expect(watch.fault()).toBe('its disk is full')
  await pass(60_000)
  state.probe = () => Promise.resolve()
  await pass(2_000)
  expect(watch.fault()).toBeUndefined()
  await pass(60_000)
  expect(lines).toMatchObject([
    { level: 50, store: 'sqlite', fault: 'full', detail: 'the file /secret/place: full' },
    { level: 40, msg: 'the store works again' },
  ])
})

it('takes a server that does not answer for gone within two seconds, and ends the calls that wait', async () => {
  const { lines, state, watch, pass } = start('postgres')
  await pass(700)
  state.probe = () => never
  const call = rejectionOf(watch.run(() => never))
  await pass(2_000)
  expect(watch.fault()).toBe('it does not answer')
  expect(await call).toMatchObject({
    code: 'store_gone',
    message: 'the store cannot be used now: it does not answer',
  })
  const { probes } = state
  await pass(10_000)
  // The probe that hangs is waited for, and none put behind it.
  expect(state.probes).toBe(probes)
  expect(lines).toHaveLength(1)
})

it('waits longer for SQLite, where another process may be writing', async () => {
  const { state, watch, pass } = start()
  state.probe = () => never
  await pass(6_000)
  expect(watch.fault()).toBeUndefined()
  await pass(1_000)
  expect(watch.fault()).toBe('it does not answer')
})

it('refuses calls at once while the store is gone, without a path in the message', async () => {
  const { state, watch, pass } = start()
  state.probe = () => fails('deleted')
  await pass(1_000)
  let called = false
  const why = await rejectionOf(watch.run(async () => (called = true)))
  expect(why).toMatchObject({ code: 'store_gone', message: 'the store cannot be used now: its file was deleted' })
  expect(called).toBe(false)
})

it('tries calls while the disk is full: reads and removals may work', async () => {
  const { state, watch, pass } = start()
  state.probe = () => fails('full')
  await pass(1_000)
  expect([watch.fault(), watch.takesCalls()]).toEqual(['its disk is full', true])
  expect(await watch.run(async () => 'read')).toBe('read')
  expect(await rejectionOf(watch.run(() => fails('full')))).toMatchObject({ code: 'store_gone' })
  state.probe = () => fails('deleted')
  const waiting = rejectionOf(watch.run(() => never))
  await pass(1_000)
  expect(await waiting).toMatchObject({ message: 'the store cannot be used now: its file was deleted' })
})

it('finds out by a call that fails, without waiting for the next probe', async () => {
  const { lines, state, watch } = start()
  state.probe = () => fails('deleted')
  expect(await rejectionOf(watch.run(() => fails('deleted')))).toMatchObject({ code: 'store_gone' })
  expect([watch.fault(), lines.length]).toEqual(['its file was deleted', 1])
})

it('tells a call that fails alone from a store that is gone', async () => {
  const { lines, watch } = start()
  expect(await rejectionOf(watch.run(() => fails('unreachable')))).toMatchObject({
    code: 'store_failed',
    message: 'the store cannot be used now: its server cannot be reached',
  })
  expect(watch.fault()).toBeUndefined()
  expect(lines).toMatchObject([{ fault: 'unreachable', msg: 'a call to the store failed, though the store works' }])
  const bug = new TypeError('a bug')
  expect(await rejectionOf(watch.run(() => Promise.reject(bug)))).toBe(bug)
})

it('leaves no timer behind', async () => {
  const { clock, watch, pass } = start()
  await pass(2_000)
  watch.close()
  await pass(1_000)
  expect(clock.timers).toBe(0)
})
