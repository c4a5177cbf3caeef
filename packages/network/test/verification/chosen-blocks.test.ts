import { createContext, isStream } from '@wayleave/jsonrpc-core'
import { headerHash } from '@wayleave/evm-verify'
import { type Network, openNetwork, verifiedMark } from '@wayleave/network'
import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain, type TestChain } from '../chain-node.ts'
import { call, sleep, until } from '../support.ts'

// The gateway asks for `latest` by the hash of its head. That hash is the word of as few as one node.

type Node = Awaited<ReturnType<typeof startChainNode>>

async function nodesOf(...chains: readonly TestChain[]): Promise<Node[]> {
  const nodes = await Promise.all(chains.map((chain, i) => startChainNode(chain, i + 1)))
  onTestFinished(async () => {
    for (const node of nodes) await node.close()
  })
  return nodes
}

async function networkOver(nodes: readonly Node[], verify: 'consistent' | 'proven'): Promise<Network> {
  const network = await openNetwork({ chainId: 1, upstreams: nodes.map(({ url }) => url), verify })
  onTestFinished(() => network.close())
  return network
}

async function ask(network: Network, method: string, params: readonly unknown[]) {
  const context = createContext({ timeoutMs: 20_000 })
  const { result, meta } = await network.handler(call(method, params), context)
  context.release()
  const value = result === undefined || isStream(result) ? undefined : result.value()
  return { mark: verifiedMark.of(meta), hash: (Object(value) as { readonly hash?: string }).hash }
}

const latest = ['latest', true] as const

it.each(['consistent', 'proven'] as const)(
  'a node that is all that is left of two proves nothing of its own chain: %s',
  async (verify) => {
    const [honest, liar] = await nodesOf(testChain(20), testChain(20, { genesis: 7 }))
    await honest!.stop()
    const network = await networkOver([honest!, liar!], verify)
    await ask(network, 'eth_getBlockByNumber', latest)
    await until(() => network.heads?.head !== undefined)
    for (let i = 0; i < 3; i++) expect((await ask(network, 'eth_getBlockByNumber', latest)).mark).toBe('consistent')
  },
)

it('a node of two proves nothing that the other one does not have', async () => {
  const [liar, honest] = await nodesOf(testChain(21, { genesis: 7 }), testChain(20))
  const network = await networkOver([liar!, honest!], 'proven')
  await ask(network, 'eth_getBlockByNumber', latest)
  await until(() => network.heads?.head !== undefined)
  for (let i = 0; i < 3; i++) expect((await ask(network, 'eth_getBlockByNumber', latest)).mark).toBe('consistent')
})

it('a block that the gateway chose is proven where most nodes have it, and one that the caller named by its hash', async () => {
  const chain = testChain(20)
  const network = await networkOver(await nodesOf(chain, chain, chain), 'proven')
  await ask(network, 'eth_getBlockByNumber', latest)
  await until(() => network.heads?.head !== undefined)
  const { hash } = chain.block(20)
  expect(await ask(network, 'eth_getBlockByNumber', latest)).toEqual({ mark: 'proven', hash })
  expect(await ask(network, 'eth_getBlockByHash', [hash, true])).toEqual({ mark: 'proven', hash })
})

it('a parent that a header only claims to have is not taken for the block below a head', async () => {
  const chain = testChain(20)
  const nodes = await nodesOf(chain, chain, chain)
  const inventedAt = (number: number): { readonly hash: string } => {
    const { hash: _, ...rest } = chain.block(number)
    const header = { ...rest, extraData: '0x6c6965', gasUsed: '0x1234' }
    return { ...header, hash: headerHash(header as never) }
  }
  nodes[0]!.answer = (method, [first]) => {
    if (method === 'eth_getBlockByNumber' && first === 'latest')
      return { result: { ...chain.block(chain.height), parentHash: inventedAt(chain.height - 1).hash } }
    if (method !== 'eth_getBlockByHash') return undefined
    const result = Array.from({ length: chain.height }, (_, i) => inventedAt(i)).find(({ hash }) => hash === first)
    return result && { result }
  }
  const network = await networkOver(nodes, 'proven')
  await ask(network, 'eth_getBlockByNumber', latest)
  for (let i = 0; i < 2; i++) {
    // Heads are asked for while somebody asks.
    for (; network.heads?.head?.number !== chain.height; await sleep(100))
      await ask(network, 'eth_getBlockByNumber', latest)
    chain.height += 2
    for (; network.heads?.head?.number !== chain.height; await sleep(100))
      await ask(network, 'eth_getBlockByNumber', latest)
    const number = chain.height - 1
    const answer = await ask(network, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    expect(answer.hash).toBe(chain.block(number).hash)
  }
}, 60_000)
