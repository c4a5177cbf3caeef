import { type Config, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { isRequired, missingRedis, startRedis } from '../replicas/servers.ts'
import { frame, key, send, startTestGateway } from '../support.ts'
import { startWorkers } from '../workers/worker-gateways.ts'

/** Gateways that share their state. */
interface Scene {
  /** The gateways that callers reach. */
  readonly gateways: readonly RunningGateway[]
  /** The gateways that operators reach. */
  readonly operated: readonly RunningGateway[]
  /** Starts one more. */
  join(): Promise<RunningGateway>
}

type Begin = (networks: Config['networks']) => Promise<Scene>

const options = { surroundings: realSurroundings }

async function beginWorkers(networks: Config['networks']): Promise<Scene> {
  const { primary, workers, join } = await startWorkers({ networks }, 2, options)
  const gateways = workers.map(({ gateway }) => gateway)
  return { gateways, operated: [primary], join: async () => (await join()).gateway }
}

async function beginReplicas(networks: Config['networks']): Promise<Scene> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  async function join(): Promise<RunningGateway> {
    const gateway = await startTestGateway([], { networks, redis: redis.url }, options)
    onTestFinished(() => gateway.close(0))
    return gateway
  }
  const gateways = [await join(), await join()]
  return { gateways, operated: gateways, join }
}

async function startNodes(): Promise<readonly ChainNode[]> {
  const chain = testChain(500)
  const nodes = await Promise.all([startChainNode(chain, 1), startChainNode(chain, 2)])
  for (const node of nodes) onTestFinished(() => node.close())
  return nodes
}

async function gasPrice({ rpc }: RunningGateway): Promise<{ result?: string; error?: { message: string } }> {
  return JSON.parse((await send(rpc, `/v3/${key}`, { body: frame('eth_gasPrice') })).body)
}

const kinds: readonly (readonly [name: string, needsRedis: boolean, begin: Begin, mostSpent: number])[] = [
  // A limit may be passed by half of what one has spent and the other one does not know yet.
  ['workers', false, beginWorkers, 1.1],
  // They may each have half of what the other one has not passed on yet; alone they would have twice the budget.
  ['replicas', true, beginReplicas, 1.5],
]
const present = kinds.filter(([, needsRedis]) => !needsRedis || isRequired || missingRedis() === undefined)

describe.each(present)('%s', (_name, _needsRedis, begin, mostSpent) => {
  it('an upstream that an operator cordons is left alone by all, also by one that starts later, until it is lifted', async () => {
    const nodes = await startNodes()
    const upstreams = nodes.map(({ url }, i) => ({ name: `node-${i + 1}`, url, probe: false }))
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
    const { gateways, operated, join } = await begin(networks)
    const cordon = async (what: 'cordon' | 'uncordon', by: number): Promise<string> => {
      const path = `/upstreams/${what}?network=mainnet&upstream=node-1&why=an+upgrade`
      return (await send(operated[by % operated.length]!.admin, path, { method: 'POST' })).body
    }
    const price = (gateway: RunningGateway) => expect.poll(async () => (await gasPrice(gateway)).result)
    expect(await cordon('cordon', 0)).toBe('node-1 is cordoned: an upgrade\n')
    const late = await join()
    const all = [...gateways, late]
    for (const gateway of all) await price(gateway).toBe('0x2')
    // A probe that was on its way may come yet.
    nodes[0]!.calls.length = 0
    for (let i = 0; i < 30; i++) expect((await gasPrice(all[i % 3]!)).result).toBe('0x2')
    expect(nodes[0]!.calls).toEqual([])
    expect(await cordon('uncordon', 1)).toBe('node-1 is in use\n')
    for (const gateway of all) await price(gateway).toBe('0x1')
  })

  it('the units of a provider are spent by all together, and none is left for one that starts later', async () => {
    const [node] = await startNodes()
    const perDay = 60
    const upstreams = [{ name: 'paid', url: node!.url, budget: { perDay }, probe: false }]
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: false } } as const
    const { gateways, join } = await begin(networks)
    const spent = (): number => node!.calls.filter((method) => method === 'eth_gasPrice').length
    // One alone, then both, until nothing is left.
    for (let i = 0; i < 20; i++) await gasPrice(gateways[0]!)
    const last: (string | undefined)[] = []
    for (let i = 0; i < 150; i++) last[i % 2] = (await gasPrice(gateways[i % 2]!)).error?.message
    for (const message of last) expect(message).toMatch(/out of quota/)
    expect(spent()).toBeLessThanOrEqual(perDay * mostSpent)
    expect(spent()).toBeGreaterThan(perDay / 2)
    const late = await join()
    const before = spent()
    expect((await gasPrice(late)).error?.message).toMatch(/out of quota|no upstream can take this call/)
    expect(spent()).toBe(before)
  })
})

it('a budget that two workers begin to spend together is never passed', async () => {
  const [node] = await startNodes()
  const perDay = 40
  const upstreams = [{ name: 'paid', url: node!.url, budget: { perDay }, probe: false }]
  const { gateways } = await beginWorkers({ mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: false } })
  const spent = (): number => node!.calls.filter((method) => method === 'eth_gasPrice').length
  await expect
    .poll(async () => {
      for (const gateway of gateways) await gasPrice(gateway)
      return spent()
    })
    .toBeGreaterThan(30)
  for (let i = 0; i < 40; i++) for (const gateway of gateways) await gasPrice(gateway)
  expect(spent()).toBeLessThanOrEqual(perDay)
})
