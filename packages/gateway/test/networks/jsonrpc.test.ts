// A real gateway over nodes of chains that it does not know.
import {
  checkConfig,
  type Config,
  createLog,
  type JsonrpcNetworkConfig,
  type RunningGateway,
  startGateway,
} from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frame, key, refusedUrl, startNode, startNodeWith, type TestNode } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

const genesis = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'
const testGenesis = '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943'
const chain = { method: 'getblockhash', params: [0], result: genesis }
const allow = ['getblockcount', 'sendrawtransaction'] as const

/** A node whose methods have no namespace, as Bitcoin Core's. */
async function startChain(blockHash: () => string, count: number): Promise<TestNode> {
  const answers: Readonly<Record<string, () => unknown>> = { getblockhash: blockHash, getblockcount: () => count }
  return opened(
    await startNode(async ({ method }) =>
      Object.hasOwn(answers, method)
        ? { result: rawJsonFromValue(answers[method]!()) }
        : { error: { code: -32601, message: 'Method not found' } },
    ),
  )
}

function opened(node: TestNode): TestNode {
  onTestFinished(() => node.close())
  return node
}

function configOf(network: Partial<JsonrpcNetworkConfig>): Config {
  const bitcoin = { kind: 'jsonrpc', upstreams: ['http://127.0.0.1:1'], ...network } as JsonrpcNetworkConfig
  return {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { bitcoin },
    projects: [{ name: 'open', keys: [{ key }] }],
  }
}

async function gatewayOver(network: Partial<JsonrpcNetworkConfig>): Promise<RunningGateway> {
  const config = configOf({ methods: { allow }, ...network } as Partial<JsonrpcNetworkConfig>)
  const gateway = await startGateway(config, { log: createLog({ level: 'silent' }) })
  onTestFinished(() => gateway.close())
  return gateway
}

async function ask(gateway: RunningGateway, body: string): Promise<unknown> {
  const response = await fetch(`${gateway.rpc}/v3/${key}`, { method: 'POST', body })
  return response.json()
}

describe('the configuration of a network of kind jsonrpc', () => {
  it.each([[undefined], [{}], [{ allow: [] }], [{ allow: ['get*'] }]])('is refused with the methods %j', (methods) => {
    const config = configOf(methods === undefined ? {} : { methods: methods as never })
    expect(() => checkConfig(config)).toThrow(/networks\.bitcoin\.methods/)
  })

  it.each([
    ['chainId', 1],
    ['cache', false],
    ['followHeads', true],
    ['verify', 'proven'],
    ['gas', false],
  ])('is refused with %s, which needs to know the chain', (member, value) => {
    expect(() => checkConfig(configOf({ methods: { allow }, [member]: value }))).toThrow(`networks.bitcoin.${member}`)
  })
})

describe('a network of kind jsonrpc', () => {
  it('passes the methods that are allowed, and no others, over HTTP, in batches and over WebSocket', async () => {
    const node = await startChain(() => genesis, 901_234)
    const gateway = await gatewayOver({ upstreams: [node.url] })
    const answer = { jsonrpc: '2.0', id: 1, result: 901_234 }
    const refusal = { error: { code: -32601, message: 'the method stop does not exist/is not available' } }
    const [allowed, refused] = [frame('getblockcount', []), frame('stop', [])]
    expect(await ask(gateway, allowed)).toEqual(answer)
    expect(await ask(gateway, refused)).toMatchObject(refusal)
    expect(await ask(gateway, frame('GetBlockCount', []))).toMatchObject({ error: { code: -32601 } })
    expect(await ask(gateway, `[${allowed},${refused}]`)).toMatchObject([answer, refusal])
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(allowed)
    expect(await socket.next()).toEqual(answer)
    socket.send(refused)
    expect(await socket.next()).toMatchObject(refusal)
    await socket.close()
    expect(node.calls).toEqual(['getblockcount', 'getblockcount', 'getblockcount'])
  })

  it('asks its nodes for nothing of its own where no chain is named', async () => {
    const node = await startChain(() => genesis, 1)
    const gateway = await gatewayOver({ upstreams: [node.url] })
    await ask(gateway, frame('getblockcount', []))
    expect(node.calls).toEqual(['getblockcount'])
  })

  it('leaves out a node that gives another answer to its chain check', async () => {
    const [other, right] = [await startChain(() => testGenesis, 7), await startChain(() => genesis, 901_234)]
    const gateway = await gatewayOver({ upstreams: [other.url, right.url], chain })
    for (let i = 0; i < 4; i++)
      expect(await ask(gateway, frame('getblockcount', []))).toMatchObject({ result: 901_234 })
    expect(other.calls.filter((method) => method !== 'getblockhash')).toEqual([])
  })

  it('serves nothing where all of its nodes are of another chain', async () => {
    const node = await startChain(() => testGenesis, 7)
    const gateway = await gatewayOver({ upstreams: [node.url], chain })
    expect(await ask(gateway, frame('getblockcount', []))).toMatchObject({ error: { code: -32603 } })
    expect(node.calls).not.toContain('getblockcount')
    const ready = await fetch(`${gateway.admin}/readyz`)
    expect(ready.status).toBe(503)
  })

  it('asks another node where one cannot be reached, and none where a call may have arrived', async () => {
    const node = await startChain(() => genesis, 901_234)
    const cutting = opened(await startNodeWith((request) => void request.socket.destroy()))
    const unreached = await gatewayOver({ upstreams: [await refusedUrl(), node.url] })
    for (let i = 0; i < 4; i++)
      expect(await ask(unreached, frame('getblockcount', []))).toMatchObject({ result: 901_234 })
    const cut = await gatewayOver({ upstreams: [cutting.url] })
    expect(await ask(cut, frame('sendrawtransaction', ['00']))).toMatchObject({ error: { code: -32603 } })
    expect(cutting.headers).toHaveLength(1)
  })

  it('asks a node that was silent, or of another chain, for its chain again', async () => {
    let blockHash: string | undefined
    const node = opened(
      await startNode(async ({ method }) => {
        if (method !== 'getblockhash') return { result: rawJsonFromValue(1) }
        if (blockHash === undefined) return { error: { code: -28, message: 'Loading block index…' } }
        return { result: rawJsonFromValue(blockHash) }
      }),
    )
    const gateway = await gatewayOver({ upstreams: [node.url], chain })
    const count = (): Promise<unknown> => ask(gateway, frame('getblockcount', []))
    expect(await count()).toMatchObject({ result: 1 })
    blockHash = testGenesis
    await expect.poll(count).toMatchObject({ error: { code: -32603 } })
    blockHash = genesis
    await expect.poll(count).toMatchObject({ result: 1 })
  })

  it.each([
    [-32004, 'Block not available for slot 5', 'the words of the node'],
    [-32005, 'Node is behind by 42 slots', 'the words of the node'],
    [-28, 'Verifying blocks…', 'the answer of the next one'],
    [-32601, 'Method not found', 'the answer of the next one'],
  ])('answers an error of code %i, %s, with %s', async (code, message, expected) => {
    const node = await startChain(() => genesis, 901_234)
    const failing = opened(await startNode(async () => ({ error: { code, message } })))
    const gateway = await gatewayOver({ upstreams: [{ url: failing.url }, { url: node.url, tier: 'fallback' }] })
    const answer = expected === 'the words of the node' ? { error: { code, message } } : { result: 901_234 }
    for (let i = 0; i < 3; i++) expect(await ask(gateway, frame('getblockcount', []))).toMatchObject(answer)
  })

  it('is ready while a node answers, whatever it answers', async () => {
    const node = await startChain(() => genesis, 901_234)
    const gateway = await gatewayOver({ upstreams: [node.url] })
    expect((await fetch(`${gateway.admin}/readyz`)).status).toBe(200)
    const status = await (await fetch(`${gateway.admin}/status`)).json()
    expect(JSON.stringify(status)).toContain('bitcoin')
  })
})
