import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @boundaries-ignore The processes that serve a connection are found by a helper of the proxy's tests.
import { portsOf, workersOf } from '../../../apps/proxy/test/workers/processes.ts'
// @boundaries-ignore Servers for tests are in no package.
import { startPostgres } from '../../../packages/stores/test/postgres-server.ts'
// @boundaries-ignore As above.
import { startRedis } from '../../../packages/stores/test/redis-server.ts'
import { type ProxyProcess, startProxy } from '../test/support/proxy-process.ts'
import { adminToken, configOf } from './config.ts'
import { type EvmNode, type StarknetNode, startEvmNode, startStarknetNode } from './nodes.ts'

/** A process that serves callers. */
export interface Door {
  readonly rpc: string
  readonly ws: string
  readonly admin: string
  /** Whether the process has the connection of this port of a caller. */
  holds(port: number): Promise<boolean>
}

/** A running deployment. Its two doors are of different processes wherever several serve callers. */
export interface Deployment extends AsyncDisposable {
  readonly doors: readonly [Door, Door]
  readonly evm: EvmNode['node']
  readonly starknet: StarknetNode
}

/** The forms in which the program is deployed, by their names. */
export const deployments = {
  'one process': () => startOnOneMachine(1),
  'two workers': () => startOnOneMachine(2),
  'two replicas': startReplicas,
} as const

/** A deployment's name. */
export type DeploymentName = keyof typeof deployments

async function startOnOneMachine(workers: 1 | 2): Promise<Deployment> {
  return begin(async (opened, config) => {
    const folder = await temporaryFolder(opened)
    const store = { sqlite: join(folder, 'wayleave.sqlite') }
    const proxy = opened.use(
      await startProxy({ ...config, store, dataDir: folder }, {}, ['--workers', String(workers)]),
    )
    const port = Number(new URL(proxy.rpc).port)
    if (workers === 1) return [doorOf(proxy), doorOf(proxy)]
    const [first, second] = await workersOf(proxy.pid, port)
    if (first === undefined || second === undefined) throw new Error('expected two workers')
    const doorAt = (pid: number): Door => doorOf(proxy, async (own) => (await portsOf(pid, port)).has(own))
    return [doorAt(first), doorAt(second)]
  })
}

async function startReplicas(): Promise<Deployment> {
  return begin(async (opened, config) => {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    opened.use(redis)
    opened.use(postgres)
    const shared = {
      ...config,
      redis: redis.url,
      replicas: 2,
      store: { postgres: await postgres.createDatabase('law') },
    }
    const start = async (): Promise<Door> =>
      doorOf(opened.use(await startProxy({ ...shared, dataDir: await temporaryFolder(opened) })))
    const doors = [await start(), await start()] as const
    await untilShared(doors)
    return doors
  })
}

async function begin(
  start: (opened: AsyncDisposableStack, config: object) => Promise<Deployment['doors']>,
): Promise<Deployment> {
  const opened = new AsyncDisposableStack()
  try {
    const [evm, starknet] = [opened.use(await startEvmNode()), opened.use(await startStarknetNode())]
    const doors = await start(opened, configOf(evm.node, starknet))
    return { doors, evm: evm.node, starknet, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  } catch (thrown) {
    await opened.disposeAsync()
    throw thrown
  }
}

function doorOf({ rpc, ws, admin }: ProxyProcess, holds: Door['holds'] = async () => true): Door {
  return { rpc, ws, admin, holds }
}

async function temporaryFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'deployments-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Waits until each replica knows of the other one. */
async function untilShared(doors: readonly Door[]): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}` }
  for (const { admin } of doors) {
    for (;;) {
      const { limits } = (await (await fetch(`${admin}/status`, { headers })).json()) as {
        limits?: { state?: string; replicas?: number }
      }
      if (limits?.state === 'ok' && limits.replicas === 2) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
