import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey, hintOf, sha256Hex } from '@wayleave/auth'
import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { openStores, type Stores } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, sleep, startNode, startTestGateway } from '../support.ts'
import { isRequired, missingRedis, startRedis } from '../replicas/servers.ts'
import { startWorkers } from './worker-gateways.ts'

const stored = createApiKey()
const by = { actor: 'test', at: 1 }

async function storeWith(fill: (stores: Stores) => Promise<unknown>): Promise<{ readonly sqlite: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-workers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const store = { sqlite: join(folder, 'wayleave.sqlite') }
  await using stores = await openStores(store)
  await fill(stores)
  return store
}

const withKey = (limits: object = {}) =>
  storeWith(async ({ accounts }) => {
    await accounts.createProject({ id: 'stored', name: 'Stored', limits }, by)
    await accounts.createKey({ id: 'k', projectId: 'stored', digest: sha256Hex(stored), hint: hintOf(stored) }, by)
  })

async function begin(config: Partial<Config>, count = 2) {
  const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
  onTestFinished(() => node.close())
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } } as const
  const all = await startWorkers({ networks, ...config }, count, { surroundings: realSurroundings })
  return { node, ...all, gateways: all.workers.map(({ gateway }) => gateway) }
}

const statusOf = async ({ rpc }: RunningGateway, own: string, method = 'eth_getBalance'): Promise<number> =>
  (await send(rpc, `/v3/${own}`, { body: frame(method) })).status
const ask = async ({ rpc }: RunningGateway, method: string, params: readonly unknown[] = []) =>
  JSON.parse((await send(rpc, `/v3/${key}`, { body: frame(method, params) })).body) as {
    result?: unknown
    error?: unknown
  }

it('a quota is one among workers, and for one that comes in the place of another', { timeout: 120_000 }, async () => {
  const calls = 100
  const store = await withKey({ perDay: { credits: calls * 80, marks: [] } })
  const { gateways, workers, join: joinOne } = await begin({ store })
  let admitted = 0
  async function call(all: readonly RunningGateway[], times: number): Promise<void> {
    for (let i = 0; i < times; i++) if ((await statusOf(all[i % all.length]!, stored)) === 200) admitted++
  }
  await call(gateways, 60)
  // A worker tells what it spent within 100 ms.
  await sleep(300)
  workers[0]!.leave()
  const { gateway } = await joinOne()
  await call([gateway, gateways[1]!], 80)
  // Each process may leave a call over that it has only a share of.
  expect(admitted).toBeLessThanOrEqual(calls + 1)
  expect(admitted).toBeGreaterThanOrEqual(calls - 4)
})

it('a rate is one among workers, whatever their number', async () => {
  const plans = { slow: { perSecond: { credits: 80, burst: 1_600 } } }
  const projects = [{ name: 'p', plan: 'slow', keys: [{ key }] }]
  const { gateways } = await begin({ plans, projects } as Partial<Config>, 3)
  const started = realSurroundings.clock.now()
  let admitted = 0
  for (let i = 0; i < 90; i++) if ((await statusOf(gateways[i % 3]!, key)) === 200) admitted++
  const seconds = (realSurroundings.clock.now() - started) / 1_000
  // 20 at once, and one a second; each worker may be one ahead of what it told.
  expect(admitted).toBeLessThanOrEqual(20 + seconds + 3)
  expect(admitted).toBeGreaterThanOrEqual(15)
})

it('a key that the store revokes ends at all workers within a second, and usage of all is counted once', async () => {
  const store = await withKey()
  const { gateways, primary, join: joinOne } = await begin({ store }, 3)
  for (let i = 0; i < 30; i++) expect(await statusOf(gateways[i % 3]!, stored)).toBe(200)
  await using stores = await openStores(store)
  const used = async (): Promise<number> => {
    const query = { period: 'day', from: 0, to: 8e15, by: [], limit: 1 } as const
    return (await stores.usage.query(query))[0]?.calls ?? 0
  }
  await expect.poll(used).toBe(30)
  await stores.accounts.removeKey('k', by)
  let further = 0
  for (const gateway of gateways) {
    await expect
      .poll(async () => {
        const status = await statusOf(gateway, stored)
        if (status === 200) further++
        return status
      })
      .toBe(401)
  }
  const { gateway: late } = await joinOne()
  expect(await statusOf(late, stored)).toBe(401)
  for (const gateway of [...gateways, late]) await gateway.close(0)
  await primary.close(0)
  expect(await used()).toBe(30 + further)
})

it('an account that comes, and one that a worker comes later than, are known at all workers', async () => {
  const store = await storeWith(async () => {})
  const { gateways, join: joinOne } = await begin({ store })
  expect(await statusOf(gateways[0]!, stored)).toBe(401)
  await using stores = await openStores(store)
  await stores.accounts.createProject({ id: 'stored', name: 'Stored' }, by)
  const row = { id: 'k', projectId: 'stored', digest: sha256Hex(stored), hint: hintOf(stored) }
  await stores.accounts.createKey(row, by)
  for (const gateway of gateways) expect(await statusOf(gateway, stored)).toBe(200)
  const { gateway } = await joinOne()
  expect(await statusOf(gateway, stored)).toBe(200)
  await gateway.close(0)
  // The last use of its key reached the store.
  expect((await stores.accounts.lastUsed(['k'])).get('k')).toBeGreaterThan(0)
})

it.each([
  ['memory', false],
  ['a database', true],
])('a filter that one worker made in %s is served by the other, each change told once', async (_place, hasStore) => {
  const chain = testChain(500, { hasLogs: true })
  const node = await startChainNode(chain, 1)
  onTestFinished(() => node.close())
  const networks = {
    mainnet: { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, probe: false }], followHeads: true },
  } as const
  const store = hasStore ? { store: await storeWith(async () => {}) } : {}
  const { workers } = await startWorkers({ networks, ...store }, 2)
  const [a, b] = workers.map(({ gateway }) => gateway) as [RunningGateway, RunningGateway]
  const { result: id } = await ask(a, 'eth_newBlockFilter')
  let reported = 0
  for (let i = 0; i < 6; i++) {
    chain.height++
    const { result } = await ask(i % 2 === 0 ? b : a, 'eth_getFilterChanges', [id])
    reported += (result as readonly unknown[]).length
  }
  await expect
    .poll(async () => {
      reported += ((await ask(b, 'eth_getFilterChanges', [id])).result as readonly unknown[]).length
      return reported
    })
    .toBe(6)
  expect((await ask(b, 'eth_uninstallFilter', [id])).result).toBe(true)
  expect((await ask(a, 'eth_getFilterChanges', [id])).error).toMatchObject({ message: 'filter not found' })
})

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'with Redis, workers share heads and limits with other replicas, and the rest with their primary',
  async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const chain = testChain(500)
    const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)]
    for (const node of nodes) onTestFinished(() => node.close())
    const upstreams = nodes.map(({ url }) => ({ url, probe: false }))
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
    const plans = { day: { perDay: { credits: 40 * 80, marks: [] } } }
    const projects = [
      { name: 'open', keys: [{ key }] },
      { name: 'p', plan: 'day', keys: [{ key: stored }] },
    ]
    const config = { networks, redis: redis.url, plans, projects } as Partial<Config>
    const { workers } = await startWorkers(config, 2)
    const replica = await startTestGateway([], config)
    onTestFinished(() => replica.close(0))
    const all = [...workers.map(({ gateway }) => gateway), replica]
    let [highest, admitted] = [0, 0]
    for (let i = 0; i < 90; i++) {
      if (i % 6 === 5) chain.height++
      nodes[0]!.lag = i % 2
      const gateway = all[i % all.length]!
      const head = Number((await ask(gateway, 'eth_blockNumber')).result)
      expect(head).toBeGreaterThanOrEqual(highest)
      highest = head
      if ((await statusOf(gateway, stored)) === 200) admitted++
    }
    // Each process may leave a call over that it has only a share of, or let one pass.
    expect(Math.abs(admitted - 40)).toBeLessThanOrEqual(4)
  },
)
