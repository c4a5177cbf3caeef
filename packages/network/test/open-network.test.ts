import { createRpcClient, type RpcClient, subscribe } from '@wayleave/jsonrpc-core'
import { type Network, openNetwork, type OpenNetworkOptions } from '@wayleave/network'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, type TestChain, testChain } from './chain-node.ts'
import { sleep, until } from './support.ts'

const holder = `0x${'11'.repeat(20)}`
const hex = (number: number): string => `0x${number.toString(16)}`

/** Starts nodes of one chain; a balance tells the node that answered, by its number. */
async function startNodes(count: number, chain: TestChain): Promise<readonly ChainNode[]> {
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i + 1)))
  onTestFinished(async () => {
    for (const node of nodes) await node.close()
  })
  return nodes
}

/** Opens a network over nodes, by their URLs alone. */
async function openOver(
  nodes: readonly ChainNode[],
  options?: OpenNetworkOptions,
): Promise<{ readonly network: Network; readonly client: RpcClient<object> }> {
  const network = await openNetwork({ chainId: 1, upstreams: nodes.map(({ url }) => url) }, options)
  onTestFinished(() => network.close())
  return { network, client: createRpcClient(network.handler) }
}

const asked = ({ calls }: ChainNode, method: string): number => calls.filter((call) => call === method).length

describe('a network of a program of its own', () => {
  it('goes on reading when one of its two nodes dies', async () => {
    const nodes = await startNodes(2, testChain(12))
    const { client } = await openOver(nodes)
    expect(await client.requestUnchecked('eth_blockNumber')).toBe('0xc')
    await nodes[0]!.stop()
    const balances = await Promise.all(
      Array.from({ length: 8 }, (_, i) => client.requestUnchecked('eth_getBalance', [holder, hex(i)])),
    )
    expect(balances).toEqual(Array.from({ length: 8 }, () => '0x2'))
  })

  it('answers a question about a block a second time from its cache', async () => {
    const chain = testChain(12)
    const [node] = await startNodes(1, chain)
    const { client } = await openOver([node!])
    await client.requestUnchecked('eth_blockNumber')
    const { hash } = chain.block(3)
    const first = await client.requestUnchecked('eth_getBlockByHash', [hash, false])
    expect(first).toMatchObject({ number: '0x3', hash })
    expect(await client.requestUnchecked('eth_getBlockByHash', [hash, false])).toEqual(first)
    expect(asked(node!, 'eth_getBlockByHash')).toBe(1)
  })

  it('never takes a head back that it has told, though a node falls behind', async () => {
    const nodes = await startNodes(2, testChain(12))
    const { client } = await openOver(nodes)
    expect(await client.requestUnchecked('eth_blockNumber')).toBe('0xc')
    nodes[0]!.lag = 1
    const heads = new Set<unknown>()
    for (let i = 0; i < 8; i++) heads.add(await client.requestUnchecked('eth_blockNumber'))
    expect([...heads]).toEqual(['0xc'])
  })

  it('passes allowed methods to nodes that report no chain, without a chain id', async () => {
    const [node] = await startNodes(1, testChain(12))
    const network = await openNetwork({
      kind: 'jsonrpc',
      methods: { allow: ['eth_getBalance'] },
      upstreams: [node!.url],
    })
    onTestFinished(() => network.close())
    expect(await createRpcClient(network.handler).requestUnchecked('eth_getBalance', [holder, hex(3)])).toBe('0x1')
    expect(asked(node!, 'eth_chainId')).toBe(0)
  })

  it('asks no node of another chain', async () => {
    const [wrong] = await startNodes(1, testChain(14, { id: 2, genesis: 1 }))
    const [right] = await startNodes(1, testChain(12))
    const { network, client } = await openOver([wrong!, right!])
    for (let i = 0; i < 8; i++) await client.requestUnchecked('eth_getBalance', [holder, hex(i)])
    expect([wrong!, right!].map((node) => asked(node, 'eth_getBalance'))).toEqual([0, 8])
    expect(network.heads!.head!.number).toBe(12)
  })

  it('serves filters of its own, which outlive the node that they began at', async () => {
    const chain = testChain(12)
    const nodes = await startNodes(2, chain)
    const { client } = await openOver(nodes)
    const filter = await client.requestUnchecked('eth_newBlockFilter')
    await nodes[0]!.stop()
    chain.height += 2
    let hashes: readonly unknown[] = []
    for (let i = 0; i < 1_500 && hashes.length < 2; i++) {
      await sleep(10)
      hashes = [...hashes, ...(await client.requestUnchecked<unknown[]>('eth_getFilterChanges', [filter]))]
    }
    expect(hashes).toEqual([chain.block(13).hash, chain.block(14).hash])
    expect(nodes.map((node) => asked(node, 'eth_newBlockFilter'))).toEqual([0, 0])
  })

  it('tells new heads to its subscribers without a WebSocket, also those that it missed', async () => {
    const chain = testChain(12)
    const nodes = await startNodes(2, chain)
    const { network } = await openOver(nodes)
    const heads: unknown[] = []
    const { unsubscribe } = await subscribe(network.handler, 'eth_subscribe', ['newHeads'], {
      onEvent: (head) => heads.push((head as { readonly number: unknown }).number),
    })
    await nodes[0]!.stop()
    chain.height += 3
    await until(() => heads.includes('0xf'))
    expect(heads).toEqual(['0xd', '0xe', '0xf'])
    unsubscribe()
  })

  it('leaves an upstream alone that is cordoned, and says so', async () => {
    const nodes = await startNodes(2, testChain(12))
    const { network, client } = await openOver(nodes)
    expect(network.upstreams).toEqual(['upstream-1', 'upstream-2'])
    expect(network.cordon('upstream-1', 'maintenance')).toBe(true)
    for (let i = 0; i < 8; i++) await client.requestUnchecked('eth_getBalance', [holder, hex(i)])
    expect(nodes.map((node) => asked(node, 'eth_getBalance'))).toEqual([0, 8])
    expect(network.states.stateOf('upstream-1')).toMatchObject({ reason: 'maintenance' })
  })

  it('notes the way of calls through the port that its program gives', async () => {
    const seen: string[] = []
    const note = (what: string) => (): void => void seen.push(what)
    const nothing = (): void => {}
    const { client } = await openOver(await startNodes(1, testChain(12)), {
      marks: {
        asked: note('asked'),
        answered: note('answered'),
        failed: nothing,
        entered: note('entered'),
        passed: note('passed'),
        joined: nothing,
        queued: nothing,
      },
    })
    await client.requestUnchecked('eth_getBalance', [holder, '0x3'])
    expect(seen).toEqual(['entered', 'passed', 'asked', 'answered'])
  })
})

describe('a network that is closed', () => {
  it('takes no call, and fails those that are under way', async () => {
    const [node] = await startNodes(1, testChain(12))
    const { network, client } = await openOver([node!])
    await client.requestUnchecked('eth_blockNumber')
    const closed = { code: 'aborted', message: 'the network is closed' }
    const underWay = client.requestUnchecked('eth_getBalance', [holder, '0x3'])
    await Promise.all([network.close(), expect(underWay).rejects.toMatchObject(closed)])
    const asks = node!.calls.length
    await expect(client.requestUnchecked('eth_blockNumber')).rejects.toMatchObject(closed)
    await expect(createRpcClient(network.nodes).requestUnchecked('eth_chainId')).rejects.toMatchObject(closed)
    const subscribed = subscribe(network.handler, 'eth_subscribe', ['newHeads'], { onEvent() {} })
    await expect(subscribed).rejects.toMatchObject(closed)
    expect(node!.calls.length).toBe(asks)
  })
})

describe('settings that are none', () => {
  it('are refused with their place and without the URL', async () => {
    const url = 'htp://user:secret@node.example'
    await expect(openNetwork({ chainId: 1, upstreams: [url] })).rejects.toThrow(/^upstreams\[0\]: expected an http/)
    await expect(openNetwork({ chainId: 1, upstreams: [url] })).rejects.not.toThrow(/secret/)
    await expect(openNetwork({ upstreams: ['https://node.example'] })).rejects.toThrow('chainId: expected')
  })
  it('are refused where their members do not fit, as the gateway refuses them', async () => {
    const upstreams = ['a', 'b'].map((host) => ({ url: `https://${host}.example`, name: 'node' }))
    await expect(openNetwork({ chainId: 1, upstreams })).rejects.toThrow(
      'upstreams[1].name: expected a name of its own, got a repetition of an earlier one',
    )
    const consensus = { methods: ['eth_call'], participants: 3 }
    await expect(openNetwork({ chainId: 1, upstreams: ['https://a.example'], consensus })).rejects.toThrow(
      /^consensus\.participants: expected at least two/,
    )
  })

  it('are told how a chain is written', async () => {
    const settings = { chainId: '0x1' as unknown as number, upstreams: ['https://node.example'] }
    await expect(openNetwork(settings)).rejects.toThrow('chainId: expected a chain id as a decimal number, got "0x1"')
  })
})
