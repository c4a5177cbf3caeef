import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { IpfsBackend } from '../../src/backend.ts'
import { IpfsError, type IpfsErrorCode } from '../../src/error.ts'
import { createMemoryPinLedger, verifyAllPins } from '../../src/server/index.ts'
import { all } from './serve.ts'
import { fakeClock } from '../fake-clock.ts'

const pinned = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')

async function verifyOver(getBlock: IpfsBackend['getBlock'], clock = fakeClock()) {
  const ledger = createMemoryPinLedger()
  await ledger.put('alice', { cid: `${pinned}`, name: undefined, type: 'recursive', bytes: 1n })
  const backend = { getBlock } as IpfsBackend
  return verifyAllPins({ backend, ledger, clock }, new AbortController().signal)
}

const failing = (code: IpfsErrorCode) => () => Promise.reject(new IpfsError(code, 'it failed'))

test.each(['not_found', 'bad_content'] as const)('a block that is %s is found', async (code) => {
  const found = await all(await verifyOver(failing(code)))
  expect(found).toMatchObject([{ pin: pinned, failure: { code } }])
})

test.each(['connect', 'unavailable', 'storage', 'closed'] as const)(
  'nothing is said of a block where its backend cannot be read: %s',
  async (code) => {
    await expect(all(await verifyOver(failing(code)))).rejects.toMatchObject({ code })
  },
)

test('a backend that says nothing is given up after a minute', async () => {
  const clock = fakeClock()
  let isAsked = (): void => {}
  const asked = new Promise<void>((resolve) => (isAsked = resolve))
  const verification = await verifyOver(() => {
    isAsked()
    return new Promise(() => {})
  }, clock)
  const ended = all(verification).catch((why: unknown) => why)
  await asked
  clock.advance(60_000)
  expect(await ended).toMatchObject({ code: 'timeout' })
})
