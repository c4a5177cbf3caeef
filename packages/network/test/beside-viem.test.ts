import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProvider } from '@wayleave/jsonrpc-core/adapters'
import { openNetwork } from '@wayleave/network'
import { createPublicClient, custom, fallback, http, type PublicClient } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'

interface Node {
  readonly url: string
  /** The methods that it was asked, in their order. */
  readonly asked: string[]
}

/** A node of a chain at a height; `statuses`: those with which it answers methods, beyond 200. */
async function startNode(chainId: number, height: number, statuses: Record<string, number> = {}): Promise<Node> {
  const hex = (value: number): string => `0x${value.toString(16)}`
  const block = {
    number: hex(height),
    hash: `0x${String(height).padStart(64, 'a')}`,
    parentHash: `0x${String(height - 1).padStart(64, 'a')}`,
    timestamp: hex(height),
  }
  const results: Record<string, unknown> = {
    eth_chainId: hex(chainId),
    eth_blockNumber: hex(height),
    eth_getBlockByNumber: block,
    eth_gasPrice: hex(height),
  }
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await request.toArray()).join('')) as { id: number; method: string }
    asked.push(method)
    response.writeHead(statuses[method] ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const plainOver = (nodes: readonly Node[]): PublicClient =>
  createPublicClient({ transport: fallback(nodes.map(({ url }) => http(url, { retryCount: 0 }))) })

async function clientOver(nodes: readonly Node[]): Promise<PublicClient> {
  const network = await openNetwork({ chainId: 1, upstreams: nodes.map(({ url }) => url) })
  onTestFinished(() => network.close())
  return createPublicClient({ transport: custom(createProvider(network.handler), { retryCount: 0 }) })
}

describe("a network beside viem's fallback", () => {
  it('both ask the next node where one is out of order', async () => {
    const nodes = [await startNode(1, 16, { eth_gasPrice: 503 }), await startNode(1, 16)]
    expect(await plainOver(nodes).getGasPrice()).toBe(16n)
    expect(await (await clientOver(nodes)).getGasPrice()).toBe(16n)
  })

  it('leaves a node of another chain alone, whose answer the fallback gives', async () => {
    const nodes = [await startNode(5, 153), await startNode(1, 16)]
    expect(await plainOver(nodes).getGasPrice()).toBe(153n)
    const client = await clientOver(nodes)
    for (let i = 0; i < 5; i++) expect(await client.getGasPrice()).toBe(16n)
  })

  it('answers for the head that it follows, where the fallback gives that of the first node', async () => {
    const nodes = [await startNode(1, 16), await startNode(1, 20)]
    expect(await plainOver(nodes).getBlockNumber()).toBe(16n)
    const client = await clientOver(nodes)
    await expect.poll(() => client.getBlockNumber({ cacheTime: 0 })).toBe(20n)
    for (let i = 0; i < 5; i++) expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(20n)
  })
})
