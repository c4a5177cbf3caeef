import { IpfsError } from '@wayleave/ipfs-http'
import { createMemoryPinLedger, type PinLedger } from '@wayleave/ipfs-http/server'
import { expect, test } from 'vitest'
import { createCharges } from '../../src/server/charges.ts'
import { fakeClock } from '../fake-clock.ts'
import { form, projectOf, serve } from './serve.ts'

const month = '2026-11'

/** A ledger that counts its charges, and takes them when it is let. */
function ledgerOf() {
  const memory = createMemoryPinLedger()
  const state = { charges: 0, before: async (): Promise<void> => {}, after: async (): Promise<void> => {} }
  const ledger: PinLedger = {
    ...memory,
    async charge(...all) {
      state.charges++
      await state.before()
      await memory.charge(...all)
      await state.after()
    },
  }
  const downloaded = async (project = 'alice'): Promise<bigint> => (await memory.usage(project, month)).downloadedBytes
  return { ledger, state, downloaded }
}

/** Lets what was begun go on, as far as it can without a timer. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('of many charges in a second the first is written at once, and all others together at its end', async () => {
  const { ledger, state, downloaded } = ledgerOf()
  const clock = fakeClock()
  const charges = createCharges(ledger, clock)
  for (let i = 0; i < 100; i++) await charges.charge('alice', month, { downloadedBytes: 10n })
  await charges.charge('bob', month, { downloadedBytes: 1n })
  expect([state.charges, await downloaded(), await downloaded('bob')]).toEqual([2, 10n, 1n])
  // What is owed counts meanwhile.
  expect(await charges.moved('alice', month)).toEqual({ uploadedBytes: 0n, downloadedBytes: 1_000n })
  clock.advance(1_000)
  await settled()
  expect([state.charges, await downloaded()]).toEqual([3, 1_000n])
  clock.advance(1_000)
  clock.advance(1_000)
  await settled()
  expect([state.charges, clock.pending]).toEqual([3, 0])
})

test('closing writes what is owed, and a charge that comes later is written at once', async () => {
  const { ledger, downloaded } = ledgerOf()
  const clock = fakeClock()
  const charges = createCharges(ledger, clock)
  for (let i = 0; i < 3; i++) await charges.charge('alice', month, { downloadedBytes: 10n })
  await charges.close()
  expect([await downloaded(), clock.pending]).toEqual([30n, 0])
  await charges.charge('alice', month, { downloadedBytes: 1n })
  expect([await downloaded(), clock.pending]).toEqual([31n, 0])
})

test('bytes of a write that runs count once, whether the ledger tells of them yet or not', async () => {
  const { ledger, state } = ledgerOf()
  const clock = fakeClock()
  const charges = createCharges(ledger, clock)
  for (const step of ['before', 'after'] as const) {
    const gate = Promise.withResolvers<void>()
    state[step] = () => gate.promise
    const charged = charges.charge(step, month, { downloadedBytes: 10n })
    const moved = charges.moved(step, month)
    await settled()
    gate.resolve()
    expect((await moved).downloadedBytes).toBe(10n)
    await charged
    state[step] = async () => {}
  }
})

test('where each read of the ledger meets a write, no byte is forgotten', async () => {
  const { ledger } = ledgerOf()
  const clock = fakeClock()
  let bytes = 0n
  const racing: PinLedger = {
    ...ledger,
    async usage(...all) {
      const usage = await ledger.usage(...all)
      bytes += 10n
      await charges.charge('alice', month, { downloadedBytes: 10n })
      clock.advance(1_000)
      await settled()
      return usage
    },
  }
  const charges = createCharges(racing, clock)
  await charges.charge('alice', month, { downloadedBytes: 10n })
  const before = bytes + 10n
  expect((await charges.moved('alice', month)).downloadedBytes).toBeGreaterThanOrEqual(before)
})

test('a charge that the ledger refuses for good fails a call of the project, and is not forgotten', async () => {
  const { ledger, state, downloaded } = ledgerOf()
  const clock = fakeClock()
  const charges = createCharges(ledger, clock)
  await charges.charge('alice', month, { downloadedBytes: 10n })
  state.before = () => Promise.reject(new Error('no such table'))
  await charges.charge('alice', month, { downloadedBytes: 10n })
  clock.advance(1_000)
  await settled()
  await expect(charges.charge('alice', month, { downloadedBytes: 10n })).rejects.toThrow('no such table')
  await expect(charges.charge('bob', month, { downloadedBytes: 10n })).rejects.toThrow('no such table')
  state.before = async () => {}
  clock.advance(1_000)
  await settled()
  expect([await downloaded(), await downloaded('bob')]).toEqual([30n, 10n])
})

test('a reader is not cut off while the ledger takes no charges, and is charged for all of it later', async () => {
  const { ledger, state, downloaded } = ledgerOf()
  const clock = fakeClock()
  const { post } = await serve({ ledger, clock, projects: [projectOf('alice', { downloadBytes: 2_500n })] })
  const { Hash: cid } = (await post('add', form({ file: 'a', content: 'x'.repeat(1_000) }))).lines[0]!
  state.before = () => Promise.reject(new IpfsError('unavailable', 'the disk is full'))
  const cat = `cat?arg=${String(cid)}`
  for (let i = 0; i < 2; i++) {
    expect(await post(cat)).toMatchObject({ status: 200, trailers: {} })
    clock.advance(1_000)
  }
  expect(await downloaded()).toBe(0n)
  // Bytes that are owed count for the quota.
  expect(await post(`${cat}&length=400`)).toMatchObject({ status: 200 })
  expect(await post(cat)).toMatchObject({ status: 403, text: 'not allowed - transfer quota reached' })
  state.before = async () => {}
  clock.advance(1_000)
  await settled()
  expect(await downloaded()).toBe(2_400n)
})
