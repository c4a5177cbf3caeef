import { realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, until } from '../support.ts'
import { logOf, startLogNode } from '../network/filters/log-node.ts'
import { isRequired, missingRedis, type RedisServer, startRedis } from './servers.ts'

const height = 500
const sender = `0x${'ab'.repeat(20)}`
const hex = (number: number): string => `0x${number.toString(16)}`

interface Reported {
  readonly result?: string & { readonly number?: string; readonly hash?: string }
  readonly error?: { readonly code: number; readonly message: string }
}

interface Scene {
  readonly redis: RedisServer
  readonly chain: TestChain
  readonly nodes: readonly [ChainNode, ChainNode]
  readonly replicas: readonly [RunningGateway, RunningGateway]
  /** Starts another one before the same nodes. */
  startReplica(): Promise<RunningGateway>
}

/** Two gateways before the same two nodes, with a Redis of their own; callers are spread over the nodes. */
async function begin(startNode = startChainNode, hasLogs = false): Promise<Scene> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const chain = testChain(height, { hasLogs })
  const nodes = await Promise.all([startNode(chain, 1), startNode(chain, 2)])
  for (const node of nodes) onTestFinished(() => node.close())
  const upstreams = nodes.map(({ url }, i) => ({ name: `node-${i + 1}`, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  async function startReplica(): Promise<RunningGateway> {
    const config = { networks, redis: redis.url }
    const gateway = await startTestGateway([], config, { surroundings: realSurroundings })
    onTestFinished(() => gateway.close(0))
    return gateway
  }
  return { redis, chain, nodes, replicas: [await startReplica(), await startReplica()], startReplica }
}

async function ask({ rpc }: RunningGateway, method: string, params: readonly unknown[] = []): Promise<Reported> {
  return JSON.parse((await send(rpc, `/v3/${key}`, { body: frame(method, params) })).body)
}

const headOf = async (gateway: RunningGateway): Promise<number> =>
  Number((await ask(gateway, 'eth_blockNumber')).result)

const statusOf = async ({ admin }: RunningGateway) => JSON.parse((await send(admin, '/status')).body)

/** Why a replica leaves a node alone. */
async function outOf(gateway: RunningGateway, name: string): Promise<string | undefined> {
  const { upstreams } = (await statusOf(gateway)).networks.mainnet
  return (upstreams as { readonly name: string; readonly out?: string }[]).find((each) => each.name === name)!.out
}

const cordon = async ({ admin }: RunningGateway, what: 'cordon' | 'uncordon', name: string): Promise<string> =>
  (await send(admin, `/upstreams/${what}?network=mainnet&upstream=${name}&why=an+upgrade`, { method: 'POST' })).body

it('without Redis each process has its own state, and says so', async () => {
  const gateway = await startTestGateway(['http://127.0.0.1:1'])
  expect(gateway.perProcess).toEqual(['heads and nonces told', 'cordons', 'limits', 'filters', 'upstream budgets'])
  expect(await statusOf(gateway)).not.toHaveProperty('redis')
  await gateway.close()
})

it('refuses a URL that Redis does not have, without repeating it', async () => {
  const config = { redis: 'redis://u:S3CR3T/secret@h' }
  await expect(startTestGateway(['http://127.0.0.1:1'], config)).rejects.toThrow(
    /^redis: expected a store that can be opened, got one that is unavailable: expected a URL of the form (?!.*S3CR3T)/,
  )
})

it('starts where Redis is gone, says so, and serves', async () => {
  const chain = testChain(height)
  const node = await startChainNode(chain, 1)
  onTestFinished(() => node.close())
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } } as const
  const gateway = await startTestGateway([], { networks, redis: 'redis://u:S3CR3T@127.0.0.1:1' })
  onTestFinished(() => gateway.close(0))
  expect(await statusOf(gateway)).toMatchObject({
    degraded: ['redis', 'limits'],
    redis: { state: 'down', reason: 'its server cannot be reached' },
    limits: { state: 'share', replicas: 1 },
  })
  expect((await ask(gateway, 'eth_gasPrice')).result).toBe('0x1')
  expect((await send(gateway.admin, '/readyz')).status).toBe(200)
})

describe.skipIf(!isRequired && missingRedis() !== undefined)('replicas that share a Redis', () => {
  it('take back no head, whichever is asked, whichever of two nodes a block apart answers', async () => {
    const { chain, nodes, replicas, startReplica } = await begin()
    nodes[1].lag = 1
    let highest = 0
    const all = [...replicas]
    for (let i = 0; i < 90; i++) {
      if (i % 6 === 5) chain.height++
      // Now the other node is first, and none loses a block.
      if (i === 45) [nodes[0].lag, nodes[1].lag, chain.height] = [1, 0, chain.height + 1]
      // One that starts later knows what was told before.
      if (i === 60) all.push(await startReplica())
      const gateway = all[i % all.length]!
      const number = await headOf(gateway)
      expect(number).toBeGreaterThanOrEqual(highest)
      highest = number
      const next = all[(i + 1) % all.length]!
      expect(await ask(next, 'eth_getBlockByNumber', [hex(number), false])).toMatchObject({
        result: { number: hex(number) },
      })
    }
    expect(highest).toBeGreaterThanOrEqual(height + 13)
    const pinned = { headers: { 'X-Wayleave-Consistency': 'pinned' }, body: frame('eth_getBalance', [sender]) }
    for (let i = 0; i < 20; i++) {
      if (i % 4 === 3) chain.height++
      const { headers } = await send(all[i % all.length]!.rpc, `/v3/${key}`, pinned)
      const number = Number(String(headers['x-wayleave-block']).split(' ', 1)[0])
      expect(number).toBeGreaterThanOrEqual(highest)
      highest = number
    }
  })

  it('ask the upstream that has the head which another one told, before their own questions find it', async () => {
    const { chain, nodes, replicas } = await begin()
    await Promise.all(replicas.map(headOf))
    // Their own questions, which are all by tag, find nothing from here on.
    for (const node of nodes) node.answer = (method) => (method === 'eth_getBlockByNumber' ? 'hang' : undefined)
    nodes[1].lag = 1
    for (let i = 0; i < 6; i++) {
      chain.height++
      const reported = await headOf(replicas[i % 2]!)
      expect(await headOf(replicas[(i + 1) % 2]!)).toBeGreaterThanOrEqual(reported)
    }
  })

  it('find a block by the hash that another one told where only one node has it', async () => {
    const { chain, nodes, replicas } = await begin()
    await Promise.all(replicas.map(headOf))
    for (let i = 0; i < 50; i++) {
      chain.height++
      nodes[i % 2]!.lag = 0
      nodes[(i + 1) % 2]!.lag = 1
      const { result } = await ask(replicas[i % 2]!, 'eth_getBlockByNumber', ['latest', false])
      for (const each of replicas) {
        expect(await ask(each, 'eth_getBlockByHash', [result!.hash, false])).toMatchObject({ result })
      }
    }
  })

  it('take back no nonce', async () => {
    const { nodes, replicas } = await begin()
    const nonces = [43, 43]
    nodes.forEach((node, i) => {
      node.answer = (method) => (method === 'eth_getTransactionCount' ? { result: hex(nonces[i]!) } : undefined)
    })
    let highest = 0
    for (let i = 0; i < 40; i++) {
      if (i === 5) nonces[0] = 44
      if (i === 20) nonces[1] = 45
      if (i === 30) nonces[0] = 45
      const { result } = await ask(replicas[i % 2]!, 'eth_getTransactionCount', [sender, 'pending'])
      expect(Number(result)).toBeGreaterThanOrEqual(highest)
      highest = Number(result)
    }
    expect(highest).toBe(45)
  })

  it('share filters: polled in turn, they tell each log once, also after a restart', async () => {
    const { chain, replicas, startReplica } = await begin(startLogNode, true)
    const id = (await ask(replicas[0], 'eth_newFilter', [{}])).result!
    const all: RunningGateway[] = [...replicas]
    const reported: unknown[] = []
    for (let i = 0; i < 40; i++) {
      if (i % 4 === 0) chain.height++
      if (i === 20) {
        await all.shift()!.close(0)
        all.push(await startReplica())
      }
      reported.push(...((await ask(all[i % 2]!, 'eth_getFilterChanges', [id])).result as unknown as unknown[]))
    }
    await expect
      .poll(async () => {
        for (const each of all)
          reported.push(...((await ask(each, 'eth_getFilterChanges', [id])).result as unknown as unknown[]))
        return reported.length
      })
      .toBeGreaterThanOrEqual(10)
    expect(reported).toEqual(Array.from({ length: 10 }, (_, i) => logOf(chain.block(height + 1 + i))))
    expect((await ask(all[1]!, 'eth_uninstallFilter', [id])).result).toBe(true)
    expect((await ask(all[0]!, 'eth_getFilterChanges', [id])).error?.message).toBe('filter not found')
  })
})

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'replicas whose Redis is stopped say so, serve on by themselves, and share again when it is back',
  { timeout: 120_000 },
  async () => {
    const { redis, chain, replicas } = await begin()
    const [one, two] = replicas
    await cordon(one, 'cordon', 'node-2')
    await expect.poll(() => outOf(two, 'node-2')).toBe('cordoned')
    const statuses = new Set<number>()
    const load = { isOver: false }
    const callers = replicas.map(async ({ rpc }) => {
      while (!load.isOver) {
        const { status } = await send(rpc, `/v3/${key}`, { body: frame('eth_blockNumber') })
        statuses.add(status)
      }
    })
    await redis.restart(async () => {
      for (const each of replicas) {
        await expect
          .poll(async () => (await statusOf(each)).redis)
          .toEqual({ state: 'down', reason: 'its server cannot be reached' })
        expect((await statusOf(each)).degraded).toContain('redis')
        expect((await send(each.admin, '/readyz')).status).toBe(200)
        expect((await send(each.admin, '/metrics')).body).toContain('wayleave_degraded{what="redis"} 1\n')
        expect(await outOf(each, 'node-2')).toBe('cordoned')
      }
      chain.height++
      expect(await cordon(one, 'uncordon', 'node-2')).toBe(
        'node-2 is in use here, and in other replicas once redis works again\n',
      )
      expect(await cordon(one, 'cordon', 'node-1')).toBe(
        'node-1 is cordoned here, and in other replicas once redis works again: an upgrade\n',
      )
      expect(await outOf(one, 'node-1')).toBe('cordoned')
      await until(() => statuses.size > 0)
    })
    for (const each of replicas) await expect.poll(async () => (await statusOf(each)).redis).toEqual({ state: 'ok' })
    await expect.poll(() => outOf(two, 'node-1')).toBe('cordoned')
    await expect.poll(() => outOf(two, 'node-2')).not.toBe('cordoned')
    expect(await outOf(one, 'node-1')).toBe('cordoned')
    load.isOver = true
    await Promise.all(callers)
    expect([...statuses]).toEqual([200])
  },
)
