import { createClient, RpcError } from '@wayleave/client'
import { verify } from '@wayleave/client/verify'
import { expect, it, vi } from 'vitest'
import { failure, servePeer } from './helpers.ts'

/** Failures and delays of a network, which nothing real here has. */
const loads: (() => Promise<void>)[] = vi.hoisted(() => [])

vi.mock('../src/verify/load-verify.ts', async () => {
  await loads.shift()?.()
  return { verify: () => (next: unknown) => next }
})

it('code for verification that does not load is a clear error, sends nothing, and is asked for again', async () => {
  const { url, seen } = await servePeer('0x1')
  await using client = createClient({ url, verify: verify('proven') })
  const slow = Promise.withResolvers<void>()
  loads.push(
    () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')),
    () => slow.promise,
  )
  const why = await failure(client.eth.chainId())
  expect(why).toBeInstanceOf(RpcError)
  expect([(why as RpcError).code, (why as RpcError).delivery, why.message]).toEqual([
    'unavailable',
    'not_sent',
    'verify: its code could not be loaded',
  ])
  expect(await failure(client.requestUnchecked('eth_chainId', [], { timeoutMs: 50 }))).toMatchObject({
    code: 'timeout',
  })
  expect(seen).toHaveLength(0)
  slow.resolve()
  expect(await client.eth.chainId()).toBe('0x1')
})
