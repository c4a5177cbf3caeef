import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, hintOf, sha256Hex } from '@wayleave/auth'
import { realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { openStores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { frame, send, startNode, startTestGateway } from '../support.ts'
import { isRequired, missingRedis, startRedis } from './servers.ts'

/** The calls of a day, of 80 credits each. */
const dailyCalls = 200
const perDay = { credits: dailyCalls * 80, marks: [] }
/** Each replica may let a call pass, or leave one over that it has only a share of. */
const slack = 4

const configured = createApiKey()
const stored = createApiKey()

async function begin() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-shared-limits-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = { sqlite: join(folder, 'wayleave.sqlite') }
  {
    const by = { actor: 'test', at: 1 }
    await using stores = await openStores(store)
    await stores.accounts.createProject({ id: 'stored', name: 'Stored', limits: { perDay } }, by)
    const row = { id: 'k', projectId: 'stored', digest: sha256Hex(stored), hint: hintOf(stored) }
    await stores.accounts.createKey(row, by)
  }
  const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
  onTestFinished(() => node.close())
  async function start(): Promise<RunningGateway> {
    const config = {
      networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
      redis: redis.url,
      store,
      plans: { day: { perDay } },
      projects: [{ name: 'configured', plan: 'day', keys: [{ key: configured }] }],
    } as const
    const gateway = await startTestGateway([], config, { surroundings: realSurroundings })
    onTestFinished(() => gateway.close(0))
    return gateway
  }
  return { redis, store, start, replicas: [await start(), await start()] }
}

const ask = async ({ rpc }: RunningGateway, key: string): Promise<number> =>
  (await send(rpc, `/v3/${key}`, { body: frame('eth_getBalance') })).status
const statusOf = async ({ admin }: RunningGateway) => JSON.parse((await send(admin, '/status')).body)
const shared = (replicas: number) => ({ state: 'ok', replicas })

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'a quota is one among replicas, while Redis is gone, when it is back without its memory, and for those that start anew',
  { timeout: 120_000 },
  async () => {
    const { redis, start, replicas } = await begin()
    const admitted = { [configured]: 0, [stored]: 0 }
    async function call(times: number): Promise<void> {
      for (let i = 0; i < times; i++) {
        for (const key of [configured, stored]) {
          expect(await ask(replicas[i % replicas.length]!, key)).toBe(200)
          admitted[key]!++
        }
      }
    }
    for (const each of replicas) {
      expect(each.perProcess).toEqual([])
      await expect.poll(async () => (await statusOf(each)).limits).toEqual(shared(2))
    }
    await call(40)
    await redis.restart(async () => {
      for (const each of replicas) {
        await expect
          .poll(async () => (await statusOf(each)).limits)
          .toEqual({
            state: 'share',
            reason: 'its server cannot be reached; this process has 1 of 2 equal shares of each limit',
            replicas: 2,
          })
        expect((await statusOf(each)).degraded).toEqual(['redis', 'limits'])
        expect((await send(each.admin, '/readyz')).status).toBe(200)
        expect((await send(each.admin, '/metrics')).body).toContain('wayleave_degraded{what="limits"} 1\n')
      }
      await call(40)
    })
    for (const each of replicas) {
      await expect.poll(async () => (await statusOf(each)).limits).toEqual(shared(2))
      expect((await statusOf(each)).degraded).toEqual([])
    }
    await call(20)
    await replicas.shift()!.close()
    replicas.push(await start())
    await call(10)

    for (const key of [configured, stored]) {
      for (let refused = 0, i = 0; refused < 10; i++) {
        const status = await ask(replicas[i % 2]!, key)
        if (status === 200) {
          admitted[key]!++
          refused = 0
        } else {
          expect(status).toBe(402)
          refused++
        }
      }
      expect(Math.abs(admitted[key]! - dailyCalls)).toBeLessThanOrEqual(slack)
    }
    const late = await start()
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push(await ask(late, configured))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(slack)
  },
)

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'usage of replicas is what callers counted, over a loss of Redis',
  { timeout: 120_000 },
  async () => {
    const { redis, store, replicas } = await begin()
    const counted: Record<string, number> = { '2xx': 0, '4xx': 0 }
    async function call(times: number): Promise<void> {
      for (let i = 0; i < times; i++) counted[`${Math.floor((await ask(replicas[i % 2]!, configured)) / 100)}xx`]!++
    }
    await call(150)
    await redis.restart(() => call(60))
    await call(30)
    await Promise.all(replicas.map((each) => each.close()))

    await using stores = await openStores(store)
    const where = { project: 'configured' }
    const all = { period: 'day', from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10 } as const
    const sums = await stores.usage.query({ ...all, where, by: ['status'] })
    expect(Object.fromEntries(sums.map(({ status, calls }) => [status, calls]))).toEqual(counted)
    expect(sums.find(({ status }) => status === '2xx')!.credits).toBe(counted['2xx']! * 80)
    expect(counted['4xx']).toBeGreaterThan(0)
  },
)
