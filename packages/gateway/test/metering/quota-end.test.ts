import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey } from '@wayleave/auth'
import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRequired, missingRedis, startRedis } from '../replicas/servers.ts'
import { frame, send, startNode, startTestGateway, until } from '../support.ts'
import { startWorkers } from '../workers/worker-gateways.ts'

/** A large quota is spent in few calls, as each is dear. */
const priceOf = (credits: number): number => (credits < 100_000 ? 80 : 800)

/** Starts a receiver of webhooks that notes the marks it is told. */
async function startReceiver() {
  const marks: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      marks.push((JSON.parse(body) as { data: { mark: number } }).data.mark)
      response.end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { marks, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

async function startAs(kind: string, config: Partial<Config>): Promise<readonly RunningGateway[]> {
  const options = { surroundings: realSurroundings }
  if (kind === 'three workers') return (await startWorkers(config, 3, options)).workers.map(({ gateway }) => gateway)
  const redis = kind === 'three replicas' ? await startRedis() : undefined
  if (redis !== undefined) onTestFinished(() => redis.stop())
  const started: RunningGateway[] = []
  for (let i = 0; i < (redis === undefined ? 1 : 3); i++) {
    const gateway = await startTestGateway([], redis === undefined ? config : { ...config, redis: redis.url }, options)
    onTestFinished(() => gateway.close(0))
    started.push(gateway)
  }
  if (redis === undefined) return started
  for (const { admin } of started) {
    await expect
      .poll(async () => JSON.parse((await send(admin, '/status')).body).limits)
      .toEqual({ state: 'ok', replicas: 3 })
  }
  return started
}

async function begin(kind: string, credits: number) {
  const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
  onTestFinished(() => node.close())
  const receiver = await startReceiver()
  const key = createApiKey()
  const processes = await startAs(kind, {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    plans: { day: { perDay: { credits } } },
    prices: { evm: { eth_getBalance: priceOf(credits) } },
    projects: [{ name: 'shop', plan: 'day', keys: [{ key }] }],
    webhook: { url: receiver.url, secret: 'a-secret-of-the-receiver' },
  } as Partial<Config>)
  let calls = 0
  const ask = async (): Promise<number> => {
    const { rpc } = processes[calls++ % processes.length]!
    return (await send(rpc, `/v3/${key}`, { body: frame('eth_getBalance') })).status
  }
  return { ask, receiver }
}

const cases = ['one process', 'three workers', 'three replicas'].flatMap((kind) =>
  [100, 1_000, 100_000].map((credits) => ({ kind, credits })),
)

describe.each(cases)('a quota of $credits credits at $kind', { timeout: 60_000 }, ({ kind, credits }) => {
  const cannot = kind === 'three replicas' && !isRequired && missingRedis() !== undefined

  it.skipIf(cannot)('is spent to its last call, and its first refusal is told to the webhook', async () => {
    const { ask, receiver } = await begin(kind, credits)
    const price = priceOf(credits)
    let spent = 0
    while ((await ask()) === 200) spent += price
    await until(() => receiver.marks.length === 3)
    expect(receiver.marks).toEqual([75, 85, 100])
    for (let i = 0; i < 5; i++) expect(await ask()).toBe(402)
    expect(credits - spent).toBeLessThan(price)
    expect(spent).toBeLessThanOrEqual(credits)
  })

  it.skipIf(cannot)('is spent to its last call by many at once', async () => {
    const { ask, receiver } = await begin(kind, credits)
    const price = priceOf(credits)
    let spent = 0
    const caller = async (): Promise<void> => {
      for (let refused = 0; refused < 5;) {
        const status = await ask()
        if (status === 200) spent += price
        else refused++
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    await until(() => receiver.marks.length === 3)
    expect(receiver.marks.toSorted((a, b) => a - b)).toEqual([75, 85, 100])
    expect(credits - spent).toBeLessThan(price)
    expect(spent).toBeLessThanOrEqual(credits)
  })
})
