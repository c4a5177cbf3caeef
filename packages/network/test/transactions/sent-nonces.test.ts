import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import type { SentTransaction } from '@wayleave/network'
import { createSentNonces } from '../../src/transactions/sent-nonces.ts'
import { call } from '../support.ts'

const minute = 60_000

/** Transactions whose raw form names their sender; to recover one takes `workMs`. */
function scene(workMs = 2) {
  const clock = new FakeClock()
  const recovered: string[] = []
  const answer = { result: rawJsonFromValue('0x') }
  const sent = createSentNonces({
    clock,
    forMs: minute,
    signing: {
      acceptedBy: ({ params }) => params!.value() as SentTransaction,
      async senderOf(raw) {
        recovered.push(raw.slice(0, 4))
        clock.advance(workMs)
        return raw.slice(0, 4)
      },
    },
  })
  return {
    clock,
    recovered,
    accept: (raw: string, nonce: number) =>
      sent.answered(call('send', { raw: `${raw}${String(nonce).padStart(4, '0')}`, nonce }), answer, undefined),
    async senderOf(raw: string, nonce: number) {
      const request = call('send', { raw: `${raw}${String(nonce).padStart(4, '0')}`, nonce })
      const found = sent.senderOf(request, answer)
      for (let i = 0; i < 100; i++) {
        clock.advance(0)
        await Promise.resolve()
      }
      return await found
    },
    async acceptedAt(sender: string, nonce: number) {
      const found = sent.from(sender, nonce)
      for (let i = 0; i < 5_000; i++) {
        clock.advance(0)
        await Promise.resolve()
      }
      return (await found)?.[0]?.at
    },
  }
}

it('only transactions of the nonce that is asked for, and those that follow, are looked into, each once', async () => {
  const { accept, acceptedAt, recovered, clock } = scene()
  for (const [sender, nonce] of [
    ['0x01', 5],
    ['0x02', 5],
    ['0x01', 6],
  ] as const)
    accept(sender, nonce)
  expect(await acceptedAt('0x01', 4)).toBeUndefined()
  expect(recovered).toEqual([])
  const at = clock.now()
  for (let i = 0; i < 2; i++) expect(await acceptedAt('0x01', 5)).toBe(at)
  expect(recovered).toEqual(['0x02', '0x01', '0x01'])
  expect(await acceptedAt('0x03', 5)).toBeUndefined()
  expect(recovered).toHaveLength(3)
})

it('a transaction is forgotten after its time', async () => {
  const { accept, acceptedAt, clock } = scene()
  accept('0x01', 5)
  clock.advance(minute - 1_000)
  expect(await acceptedAt('0x01', 5)).toBeDefined()
  clock.advance(1_000)
  expect(await acceptedAt('0x01', 5)).toBeUndefined()
})

it('the last thousand are remembered, and four million digits at most', async () => {
  const { accept, acceptedAt } = scene(0)
  for (let nonce = 0; nonce < 1_001; nonce++) accept('0x01', nonce)
  expect([await acceptedAt('0x01', 0), await acceptedAt('0x01', 1)]).toEqual([undefined, expect.any(Number)])
  accept(`0x02${'0'.repeat(400_000)}`, 7)
  expect(await acceptedAt('0x02', 7)).toBeUndefined()
  for (let nonce = 0; nonce < 20; nonce++) accept(`0x03${'0'.repeat(300_000)}`, nonce)
  expect([await acceptedAt('0x03', 6), await acceptedAt('0x03', 7)]).toEqual([undefined, expect.any(Number)])
  expect(await acceptedAt('0x01', 1_000)).toBeUndefined()
})

it('to recover senders takes a tenth of the time at most', async () => {
  const { accept, acceptedAt, recovered, clock } = scene(10)
  for (let i = 0; i < 500; i++) accept(`0x${i.toString(16).padStart(4, '0')}`, 0)
  await acceptedAt('0xff', 0)
  expect(recovered.length).toBeLessThan(13)
  clock.advance(10_000)
  const before = recovered.length
  for (let i = 0; i < 10; i++) await acceptedAt('0xff', 0)
  expect(recovered.length - before).toBeLessThan(24)
  expect(recovered.length).toBeGreaterThan(before)
})

it('the sender of an accepted transaction is told, recovered once, while there is time for it', async () => {
  const { accept, senderOf, recovered, clock } = scene(60)
  accept('0x01', 5)
  for (let i = 0; i < 2; i++) expect(await senderOf('0x01', 5)).toMatchObject({ sender: '0x01', nonce: 5 })
  expect(recovered).toEqual(['0x01'])
  expect(await senderOf('0x02', 5)).toBeUndefined()
  accept('0x02', 6)
  expect(await senderOf('0x02', 6)).toMatchObject({ sender: '0x02', nonce: 6 })
  accept('0x03', 7)
  expect(await senderOf('0x03', 7)).toBeUndefined()
  clock.advance(minute / 2)
  expect(await senderOf('0x03', 7)).toMatchObject({ sender: '0x03', nonce: 7 })
})
