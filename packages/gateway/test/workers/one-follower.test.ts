import type { Config, RunningGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, logAddress, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'
import { startWorkers, type TestWorker } from './worker-gateways.ts'

const height = 500
const hex = (number: number): string => `0x${number.toString(16)}`

const ask = async ({ rpc }: RunningGateway, method: string, params: readonly unknown[] = []) =>
  JSON.parse((await send(rpc, `/v3/${key}`, { body: frame(method, params) })).body) as { result?: unknown }

/** Calls to upstreams that a worker counted, by purpose. */
async function askedByWorker(worker: TestWorker): Promise<Record<string, number>> {
  const counts = await worker.counts()
  const family = [...counts.families()].find(({ name }) => name === 'wayleave_upstream_calls_total')
  const found: Record<string, number> = {}
  for (const [values, count] of family?.series ?? []) {
    const purpose = values.split('\0')[family!.labels.indexOf('purpose')]!
    found[purpose] = (found[purpose] ?? 0) + Number(count)
  }
  return found
}

/** Calls to upstreams that the primary counted, by purpose. */
async function askedBy({ admin }: RunningGateway): Promise<Record<string, number>> {
  const { body } = await send(admin, '/metrics')
  const found: Record<string, number> = {}
  for (const [, purpose, count] of body.matchAll(/^wayleave_upstream_calls_total\{.*purpose="(\w+)"\} (\d+)$/gm)) {
    found[purpose!] = (found[purpose!] ?? 0) + Number(count)
  }
  return found
}

/** A primary with three workers over two nodes, which count all that they are asked. */
async function begin({ hasLogs = false, probe = true } = {}) {
  const chain = testChain(height, { hasLogs })
  const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)] as const
  const asked: string[] = []
  for (const node of nodes) {
    onTestFinished(() => node.close())
    node.answer = (method, [first]) => {
      asked.push(typeof first === 'string' && /^[a-z]+$/.test(first) ? `${method} ${first}` : method)
      return undefined
    }
  }
  const upstreams = nodes.map(({ url, ws }, i) => ({ name: `n${i}`, url, ws, probe }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const all = await startWorkers({ networks }, 3)
  const gateways = all.workers.map(({ gateway }) => gateway)
  return { chain, nodes, asked, ...all, gateways }
}

const countOf = (asked: readonly string[], what: RegExp): number => asked.filter((one) => what.test(one)).length

function mine(chain: { height: number }, nodes: readonly ChainNode[]): void {
  chain.height++
  for (const node of nodes) node.pushHead()
}

it('heads, chains and probes of a network are asked for by the primary alone', async () => {
  const { chain, nodes, asked, primary, workers, gateways } = await begin()
  for (let i = 0; i < 30; i++) {
    if (i % 3 === 2) mine(chain, nodes)
    for (const gateway of gateways) await ask(gateway, 'eth_gasPrice')
    for (const gateway of gateways) await ask(gateway, 'eth_getBlockByNumber', ['finalized', false])
  }
  for (const worker of workers) {
    expect(Number((await ask(worker.gateway, 'eth_blockNumber')).result)).toBe(chain.height)
    const { caller = 0, head = 0, probe = 0 } = await askedByWorker(worker)
    expect(caller).toBeGreaterThan(0)
    expect({ head, probe }).toEqual({ head: 0, probe: 0 })
  }
  const { head = 0, probe = 0 } = await askedBy(primary)
  expect(head).toBeGreaterThan(2)
  expect(probe).toBeGreaterThan(1)
  // A chain is asked for once by the view, not once by each worker.
  expect(countOf(asked, /^eth_chainId/)).toBeLessThanOrEqual(2 * nodes.length)
  expect(nodes.map(({ subscribers }) => subscribers)).toEqual([1, 1])
})

it('a worker sees at once that its upstream is gone, and that it is back, as the primary does', async () => {
  const { nodes, gateways, chain } = await begin()
  for (const gateway of gateways) await ask(gateway, 'eth_gasPrice')
  await nodes[0].stop()
  for (const gateway of gateways) expect((await ask(gateway, 'eth_gasPrice')).result).toBe('0x2')
  await nodes[0].start()
  await nodes[1].stop()
  chain.height++
  for (const gateway of gateways) {
    await expect.poll(async () => (await ask(gateway, 'eth_gasPrice')).result).toBe('0x1')
  }
})

it('a reorganisation reaches all workers', async () => {
  const { chain, nodes, gateways } = await begin()
  for (const gateway of gateways) await ask(gateway, 'eth_blockNumber')
  const gone = chain.block(height).hash
  chain.reorganize(height - 1)
  chain.height++
  for (const node of nodes) node.pushHead()
  for (const gateway of gateways) {
    await expect.poll(async () => Number((await ask(gateway, 'eth_blockNumber')).result)).toBe(height + 1)
    const { result } = await ask(gateway, 'eth_getBlockByNumber', [hex(height), false])
    expect((result as { hash: string }).hash).not.toBe(gone)
  }
})

it.each(['newHeads', 'logs', 'transactionReceipts'])(
  'subscriptions to %s of all workers cost one subscription upstream, and about one call a block',
  async (kind) => {
    const { chain, nodes, asked, workers, gateways } = await begin({ hasLogs: true, probe: false })
    const sockets = await Promise.all(gateways.map(({ ws }) => openSocket(`${ws}/ws/v3/${key}`)))
    for (const socket of sockets) {
      socket.send(frame('eth_subscribe', kind === 'logs' ? [kind, { address: logAddress }] : [kind]))
      expect(await socket.next()).toHaveProperty('result')
    }
    const before = asked.length
    const blocks = 5
    for (let i = 0; i < blocks; i++) {
      mine(chain, nodes)
      for (const socket of sockets) {
        const { params } = (await socket.next()) as { params: { result: unknown } }
        expect(JSON.stringify(params.result)).toContain(chain.block(chain.height).hash)
        if (kind === 'logs') await socket.next()
      }
    }
    const data = countOf(asked.slice(before), /eth_getLogs|eth_getBlockReceipts|eth_getBlockByHash/)
    expect(data).toBeLessThanOrEqual(blocks + 1)
    expect(nodes.map(({ subscribers }) => subscribers)).toEqual([1, 1])
    for (const worker of workers) expect((await askedByWorker(worker))['stream'] ?? 0).toBe(0)
    await Promise.all(sockets.map((socket) => socket.close()))
  },
)

it('a reload of the primary and then of its workers goes on with the heads that were told, over the new upstreams', async () => {
  const chain = testChain(height)
  const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)] as const
  for (const node of nodes) onTestFinished(() => node.close())
  const configOf = (upstreams: readonly string[]): Config => ({
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    defaultNetwork: 'mainnet',
    cache: false,
    projects: [{ name: 'open', keys: [{ key }] }],
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } },
  })
  const { primary, workers } = await startWorkers(configOf([nodes[0].url]), 2)
  const gateways = workers.map(({ gateway }) => gateway)
  for (const gateway of gateways) expect(Number((await ask(gateway, 'eth_blockNumber')).result)).toBe(height)
  const config = configOf([nodes[1].url])
  for (const gateway of [primary, ...gateways]) expect(await gateway.reload(config)).toMatchObject({ applied: true })
  for (let i = 0; i < 3; i++) {
    chain.height++
    for (const gateway of gateways) {
      await expect.poll(async () => Number((await ask(gateway, 'eth_blockNumber')).result)).toBe(chain.height)
      expect((await ask(gateway, 'eth_gasPrice')).result).toBe('0x2')
    }
  }
  for (const worker of workers) expect((await askedByWorker(worker))['head'] ?? 0).toBe(0)
})
