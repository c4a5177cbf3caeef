import { IpfsError } from '@wayleave/ipfs-http'
import { createMemoryPinLedger, type PinLedger } from '@wayleave/ipfs-http/server'
import { expect, test } from 'vitest'
import { form, projectOf, serve } from './serve.ts'

test('a reader is not cut off while the ledger takes no charges, and is charged for all of it later', async () => {
  const memory = createMemoryPinLedger()
  let isGone = false
  const ledger: PinLedger = {
    ...memory,
    charge: (...all) =>
      isGone ? Promise.reject(new IpfsError('unavailable', 'the disk is full')) : memory.charge(...all),
  }
  const { post, month } = await serveAt(ledger)
  const { Hash: cid } = (await post('add', form({ file: 'a', content: 'x'.repeat(1_000) }))).lines[0]!
  const { downloadedBytes: before } = await memory.usage('alice', month)
  isGone = true
  const cat = `cat?arg=${String(cid)}`
  for (let i = 0; i < 2; i++) expect(await post(cat)).toMatchObject({ status: 200, trailers: {} })
  expect((await memory.usage('alice', month)).downloadedBytes).toBe(before)
  // Bytes that are owed count for the quota.
  expect(await post(cat)).toMatchObject({ status: 403, text: 'not allowed - transfer quota reached' })
  isGone = false
  await post(`cat?arg=${String(cid)}&length=100`)
  expect((await memory.usage('alice', month)).downloadedBytes).toBeGreaterThanOrEqual(2_100n)
})

async function serveAt(ledger: PinLedger) {
  const projects = [projectOf('alice', { downloadBytes: 2_500n })]
  const served = await serve({ ledger, projects })
  return { ...served, month: new Date().toISOString().slice(0, 7) }
}
