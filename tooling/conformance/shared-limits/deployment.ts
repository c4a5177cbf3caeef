import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainId, startNodes } from '../pool-bars/nodes/start-nodes.ts'
import { type ProxyProcess, startProxy } from '../test/support/proxy-process.ts'
import { openStores, type PostgresServer, type RedisServer, startPostgres, startRedis } from './servers.ts'

/** A project with one key, and its limits. */
export interface Caller {
  readonly name: string
  readonly key: string
  /** Credits a second. */
  readonly perSecond: number
}

/** Credits of a day, more than any run spends. */
export const perDay = 1_000_000_000

/** The price of each method: an override of the gateway's. */
export const prices: Readonly<Record<string, number>> = { eth_getBalance: 80, eth_syncing: 300, net_version: 1_000 }

/** Two gateways over one Redis and one PostgreSQL. */
export interface Deployment {
  readonly redis: RedisServer
  readonly postgres: PostgresServer
  readonly gateways: readonly ProxyProcess[]
  /** The calls and credits that the store has, by project and class of status. */
  usage(): Promise<ReadonlyMap<string, { readonly calls: number; readonly credits: number }>>
}

/** Starts all of it, each in a process of its own; `stack` ends it. */
export async function startDeployment(stack: AsyncDisposableStack, callers: readonly Caller[]): Promise<Deployment> {
  const redis = stack.use(await startRedis())
  const postgres = stack.use(await startPostgres())
  const store = { postgres: await postgres.createDatabase('limits') }
  const nodes = await startNodes(stack, [{ medianMs: 2 }])
  const plans = callers.map(({ name, perSecond }) => [
    name,
    { perSecond: { credits: perSecond }, perDay: { credits: perDay } },
  ])
  async function startGateway(): Promise<ProxyProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'shared-limits-'))
    stack.defer(() => rm(dataDir, { recursive: true, force: true }))
    const config = {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      dataDir,
      store,
      redis: redis.url,
      networks: { main: { kind: 'evm', chainId, upstreams: nodes.map(({ name, url }) => ({ name, url })) } },
      prices: { evm: prices },
      plans: Object.fromEntries(plans),
      projects: callers.map(({ name, key }) => ({ name, plan: name, keys: [{ key }] })),
    }
    return stack.use(await startProxy(config))
  }
  // One after the other: the first one makes the tables.
  const gateways = [await startGateway(), await startGateway()]
  return {
    redis,
    postgres,
    gateways,
    async usage() {
      await using stores = await openStores(store)
      const all = { period: 'day', from: 0, to: Number.MAX_SAFE_INTEGER, limit: 1_000 } as const
      const sums = await stores.usage.query({ ...all, by: ['project', 'status'] })
      return new Map(sums.map(({ project, status, calls, credits }) => [`${project} ${status}`, { calls, credits }]))
    },
  }
}
