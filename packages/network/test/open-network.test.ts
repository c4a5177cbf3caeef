import { createRpcClient, type RpcClient, subscribe } from '@wayleave/jsonrpc-core'
import { openNetwork, type Network } from '@wayleave/network'
import { afterEach, describe, expect, it } from 'vitest'
import { emptyBlocks, type SmallNode, startSmallNode } from './small-node.ts'
import { sleep, until } from './support.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})

const holder = `0x${'11'.repeat(20)}`
const blocks = emptyBlocks(20)

async function startNode(count = 12): Promise<SmallNode> {
  const node = await startSmallNode(blocks.slice(0, count))
  open.push(node)
  return node
}

async function openOver(
  upstreams: readonly (string | { readonly url: string; readonly ws: string })[],
  options?: Parameters<typeof openNetwork>[1],
): Promise<{ readonly network: Network; readonly chain: RpcClient<object> }> {
  const network = await openNetwork({ chainId: 1, upstreams: [upstreams[0]!, ...upstreams.slice(1)] }, options)
  open.push(network)
  return { network, chain: createRpcClient(network.handler) }
}

const asked = ({ calls }: SmallNode, method: string): number => calls.filter((call) => call.startsWith(method)).length

describe('a network of a program of its own', () => {
  it('goes on reading when one of its two nodes dies', async () => {
    const nodes = [await startNode(), await startNode()]
    const { chain } = await openOver(nodes.map(({ url }) => url))
    expect(await chain.requestUnchecked('eth_blockNumber')).toBe('0xb')
    await nodes[0]!.close()
    nodes[1]!.blocks = blocks.slice(0, 13)
    const balances = await Promise.all(
      Array.from({ length: 8 }, (_, i) => chain.requestUnchecked('eth_getBalance', [holder, `0x${i.toString(16)}`])),
    )
    expect(balances).toEqual(Array.from({ length: 8 }, () => '0x7'))
  })

  it('answers a question about a block a second time from its cache', async () => {
    const node = await startNode()
    const { chain } = await openOver([node.url])
    await chain.requestUnchecked('eth_blockNumber')
    const first = await chain.requestUnchecked('eth_getBlockByHash', [blocks[3]!['hash'], false])
    const again = await chain.requestUnchecked('eth_getBlockByHash', [blocks[3]!['hash'], false])
    expect(again).toEqual(first)
    expect(first).toMatchObject({ number: '0x3' })
    expect(asked(node, 'eth_getBlockByHash')).toBe(1)
  })

  it('never takes a head back that it has told, though a node falls behind', async () => {
    const nodes = [await startNode(13), await startNode(13)]
    const { chain } = await openOver(nodes.map(({ url }) => url))
    expect(await chain.requestUnchecked('eth_blockNumber')).toBe('0xc')
    nodes[0]!.blocks = blocks.slice(0, 12)
    const heads = new Set<unknown>()
    for (let i = 0; i < 8; i++) heads.add(await chain.requestUnchecked('eth_blockNumber'))
    expect([...heads]).toEqual(['0xc'])
  })

  it('asks no node of another chain', async () => {
    const [right, wrong] = [await startNode(), await startSmallNode(emptyBlocks(14, 1), 2)]
    open.push(wrong)
    const { network, chain } = await openOver([wrong.url, right.url])
    for (let i = 0; i < 8; i++) await chain.requestUnchecked('eth_getBalance', [holder, `0x${i}`])
    expect([wrong, right].map((node) => asked(node, 'eth_getBalance'))).toEqual([0, 8])
    expect(network.heads!.head!.number).toBe(11)
  })

  it('serves filters of its own, which outlive the node that they began at', async () => {
    const nodes = [await startNode(), await startNode()]
    const { chain } = await openOver(nodes.map(({ url }) => url))
    const filter = await chain.requestUnchecked('eth_newBlockFilter')
    await nodes[0]!.close()
    nodes[1]!.blocks = blocks.slice(0, 14)
    let hashes: readonly unknown[] = []
    for (let i = 0; i < 1_500 && hashes.length < 2; i++) {
      await sleep(10)
      hashes = [...hashes, ...((await chain.requestUnchecked('eth_getFilterChanges', [filter])) as unknown[])]
    }
    expect(hashes).toEqual([blocks[12]!['hash'], blocks[13]!['hash']])
    expect(nodes.map((node) => asked(node, 'eth_newBlockFilter'))).toEqual([0, 0])
  })

  it('tells new heads to its subscribers, from whichever node has them', async () => {
    const nodes = [await startNode(), await startNode()]
    const { network } = await openOver(nodes.map(({ url }) => url))
    const heads: unknown[] = []
    const subscription = await subscribe(network.handler, 'eth_subscribe', ['newHeads'], {
      onEvent: (head) => heads.push((head as { readonly number: unknown }).number),
    })
    await nodes[0]!.close()
    nodes[1]!.blocks = blocks.slice(0, 15)
    await until(() => heads.includes('0xe'))
    expect(heads).toEqual(['0xc', '0xd', '0xe'])
    subscription.unsubscribe()
  })

  it('leaves an upstream alone that is cordoned, and says so', async () => {
    const nodes = [await startNode(), await startNode()]
    const { network, chain } = await openOver(nodes.map(({ url }) => url))
    expect(network.upstreams).toEqual(['upstream-1', 'upstream-2'])
    expect(network.cordon('upstream-1', 'maintenance')).toBe(true)
    for (let i = 0; i < 8; i++) await chain.requestUnchecked('eth_getBalance', [holder, `0x${i}`])
    expect(nodes.map((node) => asked(node, 'eth_getBalance'))).toEqual([0, 8])
    expect(network.states.stateOf('upstream-1')).toMatchObject({ reason: 'maintenance' })
  })

  it('counts attempts and notes the way of calls through the ports that its program gives', async () => {
    const node = await startNode()
    const seen: string[] = []
    const note = (what: string) => () => void seen.push(what)
    const nothing = (): void => {}
    const { chain } = await openOver([node.url], {
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
    await chain.requestUnchecked('eth_getBalance', [holder, '0x3'])
    expect(seen).toEqual(['entered', 'passed', 'asked', 'answered'])
  })
})

describe('settings that are none', () => {
  it('are refused with their place and without the URL', async () => {
    const url = 'htp://user:secret@node.example'
    await expect(openNetwork({ chainId: 1, upstreams: [url] })).rejects.toThrow(/^upstreams\[0\]: expected an http/)
    await expect(openNetwork({ chainId: 1, upstreams: [url] })).rejects.not.toThrow(/secret/)
    await expect(openNetwork({ upstreams: ['https://node.example'] })).rejects.toThrow('chainId: expected')
  })
})
