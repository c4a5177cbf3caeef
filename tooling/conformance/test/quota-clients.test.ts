import { createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { answer, startPeer } from './support/peer.ts'

const plans = {
  day: { perDay: { credits: 400 } },
  second: { perSecond: { credits: 1, burst: 400 } },
}

/** A gateway with a key for each of these plans; its one node answers 0x1. */
async function startLimited(): Promise<RunningGateway> {
  const peer = await startPeer(answer('0x1'))
  onTestFinished(() => peer[Symbol.asyncDispose]())
  const gateway = await startGateway(
    {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: { net: { kind: 'evm', chainId: 1, followHeads: false, upstreams: [peer.httpUrl] } },
      plans,
      projects: Object.keys(plans).map((plan) => ({
        name: plan,
        plan,
        keys: [{ key: `a-key-with-the-plan-${plan}` }],
      })),
    },
    { log: createLog({ level: 'silent' }) },
  )
  onTestFinished(() => gateway.close(0))
  return gateway
}

const urlOf = (gateway: RunningGateway, plan: keyof typeof plans): string =>
  `${gateway.rpc}/v3/a-key-with-the-plan-${plan}`

/** Spends what is left of a limit, down to the cheapest call. Returns the status of the refusal. */
async function spend(url: string): Promise<number> {
  let status = 0
  for (const method of ['eth_blockNumber', 'eth_chainId']) {
    do {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
      const response = await fetch(url, { method: 'POST', body })
      status = response.status
      await response.text()
    } while (status === 200)
  }
  return status
}

/** The HTTP answers of a status so far. */
async function answersOf(gateway: RunningGateway, status: number): Promise<number> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text()
  return Number(new RegExp(`wayleave_answers_total\\{network="net",status="${status}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

const failureOf = (work: Promise<unknown>): Promise<Record<string, unknown>> =>
  work.then(
    () => expect.unreachable('the call succeeded'),
    (thrown: unknown) => thrown as Record<string, unknown>,
  )

// Their waits are their own: viem's are 150, 300 and 600 ms, and ethers has none. What makes them longer is a 429 or a `Retry-After`.
it('viem gives up a spent day after its usual three tries more', async () => {
  const gateway = await startLimited()
  const client = createPublicClient({ transport: http(urlOf(gateway, 'day')) })
  expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(1n)
  expect(await spend(urlOf(gateway, 'day'))).toBe(402)
  const before = await answersOf(gateway, 402)
  const error = await failureOf(client.getBlockNumber({ cacheTime: 0 }))
  expect(error).toMatchObject({ name: 'LimitExceededRpcError', code: -32005 })
  expect(error['details']).toMatch(/^daily request count exceeded, request rate limited; it resets at /)
  expect((await answersOf(gateway, 402)) - before).toBe(4)
})

it('ethers gives up a spent day at once', async () => {
  const gateway = await startLimited()
  const provider = new JsonRpcProvider(urlOf(gateway, 'day'), undefined, { cacheTimeout: -1 })
  onTestFinished(() => provider.destroy())
  expect(await provider.getBlockNumber()).toBe(1)
  expect(await spend(urlOf(gateway, 'day'))).toBe(402)
  const before = await answersOf(gateway, 402)
  const error = await failureOf(provider.getBlockNumber())
  expect(error).toMatchObject({ code: 'SERVER_ERROR', shortMessage: 'server response 402 Payment Required' })
  expect((error['info'] as { responseBody: string }).responseBody).toContain('daily request count exceeded')
  expect((await answersOf(gateway, 402)) - before).toBeLessThanOrEqual(2)
})

it('ethers repeats a call beyond a rate by itself, and does not wait for minutes', async () => {
  const gateway = await startLimited()
  const provider = new JsonRpcProvider(urlOf(gateway, 'second'), undefined, { cacheTimeout: -1 })
  onTestFinished(() => provider.destroy())
  expect(await provider.getBlockNumber()).toBe(1)
  expect(await spend(urlOf(gateway, 'second'))).toBe(429)
  const error = await failureOf(provider.getBlockNumber())
  expect(error).toMatchObject({ code: 'SERVER_ERROR' })
  expect(String(error['shortMessage'])).toContain('exceeded maximum retry limit')
})
