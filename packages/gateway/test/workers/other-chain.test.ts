import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send } from '../support.ts'
import { startWorkers } from './worker-gateways.ts'

it(
  'a node that comes back as another chain is asked by each worker, which forgets what it has kept of the old one',
  { timeout: 30_000 },
  async () => {
    const chainOf = (height: number, genesis: number) =>
      testChain(height, { genesis, startedAt: Math.floor(Date.now() / 1_000) - height })
    const [old, other] = [chainOf(100, 0), chainOf(104, 9)]
    const node = await startChainNode(old, 1)
    onTestFinished(() => node.close())
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true } } as const
    const { workers } = await startWorkers({ networks, cache: {} }, 2)
    const ask = async ({ rpc }: { readonly rpc: string }) => {
      const { body, headers } = await send(rpc, `/v3/${key}`, { body: frame('eth_getBlockByNumber', ['0x3', false]) })
      return [(JSON.parse(body) as { result: { hash: string } }).result.hash, headers['x-wayleave-cache']]
    }
    const askAll = () => Promise.all(workers.map(({ gateway }) => ask(gateway)))
    const oldHash = old.block(3).hash
    await expect.poll(askAll, { timeout: 10_000 }).toEqual(workers.map(() => [oldHash, 'hit']))
    await node.stop()
    node.chain = other
    await node.start()
    const report = async () => (await askAll()).map(([hash]) => hash)
    const newHash = other.block(3).hash
    await expect.poll(report, { timeout: 10_000 }).toEqual([newHash, newHash])
    for (let i = 0; i < 3; i++) expect(await report()).toEqual([newHash, newHash])
  },
)
