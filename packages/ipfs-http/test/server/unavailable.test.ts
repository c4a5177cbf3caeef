import { IpfsError } from '@wayleave/ipfs-http'
import { createMemoryPinLedger, type PinLedger } from '@wayleave/ipfs-http/server'
import { expect, test } from 'vitest'
import { form, serve } from './serve.ts'

test('a ledger that is unavailable is 503 with Retry-After and its reason, and no bug', async () => {
  const gone = (): Promise<never> => Promise.reject(new IpfsError('unavailable', 'the disk of the pins is full'))
  const ledger: PinLedger = { ...createMemoryPinLedger(), put: gone, list: gone }
  const { post, errors } = await serve({ ledger })
  for (const answer of [await post('add', form({ file: 'a', content: 'hello' })), await post('pin/ls')]) {
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2'])
    expect(JSON.parse(answer.text)).toMatchObject({ Message: 'the disk of the pins is full', Type: 'error' })
  }
  expect(errors).toEqual([])
})
