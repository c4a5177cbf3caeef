import { expect, test } from 'vitest'
import { createMemoryPinLedger } from '../../src/server/index.ts'
import { pinLedgerCases } from './pin-ledger-cases.ts'

pinLedgerCases(() => createMemoryPinLedger())

test('a ledger in memory has a bound, within which a pin can be replaced', async () => {
  const ledger = createMemoryPinLedger({ maxPins: 1 })
  const pin = { cid: 'QmA', type: 'recursive', name: undefined, bytes: 1n } as const
  await ledger.put('p', pin)
  await ledger.put('p', { ...pin, bytes: 2n })
  await expect(ledger.put('q', pin)).rejects.toMatchObject({ code: 'too_large' })
  expect(await ledger.replace('p', 'QmA', { ...pin, cid: 'QmB' })).toEqual('replaced')
  expect(await ledger.roots({ limit: 9 })).toEqual([{ cid: 'QmB', recursive: true }])
})
