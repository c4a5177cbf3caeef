import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { FetchRequest, JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { key, secret, startDevGateway } from './support/gateway.ts'
import { ask, call, post, type RpcAnswer } from './support/http.ts'
import { openSocket, refusedSocket } from './support/socket.ts'

let node: DevNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

describe('a network is named', () => {
  const ways = [
    { way: 'by the default', path: '', host: undefined, chain: '0x7a69' },
    { way: 'by the first label of the host', path: '', host: 'dev.localhost', chain: '0x7a69' },
    { way: 'by the first label of a host with a port', path: '', host: 'rollup-dev.localhost:8545', chain: '0x385' },
    { way: 'by the first label of a long host', path: '', host: 'Rollup-Dev.rpc.example.org', chain: '0x385' },
    { way: 'by the path', path: '/rollup-dev', host: undefined, chain: '0x385' },
    { way: 'by the path before the host', path: '/dev', host: 'rollup-dev.localhost', chain: '0x7a69' },
  ]

  it.each(ways)('$way, over both transports', async ({ path, host, chain }) => {
    const headers = host === undefined ? {} : { host }
    const over = await post(`${gateway.rpc}${path}/v3/${key}`, call('eth_chainId'), { headers })
    expect(over.text).toBe(`{"jsonrpc":"2.0","id":1,"result":"${chain}"}`)
    await using socket = await openSocket(`${gateway.ws}${path}/ws/v3/${key}`, { headers })
    expect(await socket.ask('eth_chainId')).toEqual({ jsonrpc: '2.0', id: 1, result: chain })
  })

  it('by the Host header of a stock client', async () => {
    const request = new FetchRequest(`${gateway.rpc}/v3/${key}`)
    request.setHeader('host', 'rollup-dev.localhost')
    const provider = new JsonRpcProvider(request)
    expect((await provider.getNetwork()).chainId).toBe(901n)
    provider.destroy()
  })

  it.each([
    { path: '/nowhere', host: undefined },
    { path: '', host: 'nowhere.localhost' },
  ])('that is not there ($path $host): 404 with a JSON-RPC body that names it', async ({ path, host }) => {
    const headers = host === undefined ? {} : { host }
    const { status, text } = await post(`${gateway.rpc}${path}/v3/${key}`, call('eth_chainId'), { headers })
    expect(status).toBe(404)
    expect(JSON.parse(text)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32002, message: expect.stringContaining('nowhere') },
    })
    expect(await refusedSocket(`${gateway.ws}${path}/ws/v3/${key}`, { headers })).toMatchObject({ status: 404 })
  })
})

describe('a caller is known', () => {
  const rightSecrets = ['', key].map((user) => ({ authorization: basic(user, secret) }))

  it('by the key alone, and by key and secret', async () => {
    for (const headers of [{}, ...rightSecrets]) {
      const { status, text } = await post(`${gateway.rpc}/v3/${key}`, call('eth_chainId'), { headers })
      expect([status, text]).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":"0x7a69"}'])
      await using socket = await openSocket(`${gateway.ws}/ws/v3/${key}`, { headers })
      expect(await socket.ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
    }
  })

  it('by the secret in the URL, as clients turn it into a header', async () => {
    const url = gateway.ws.replace('ws://', `ws://:${secret}@`)
    await using socket = await openSocket(`${url}/ws/v3/${key}`)
    expect(await socket.ask('eth_chainId')).toMatchObject({ result: '0x7a69' })
    const wrong = gateway.ws.replace('ws://', 'ws://:wrong@')
    expect(await refusedSocket(`${wrong}/ws/v3/${key}`)).toMatchObject({ status: 401 })
  })

  it.each([
    { what: 'no key', path: '/v3', ws: '/ws/v3', headers: {}, text: 'project id required in the url\n' },
    { what: 'a wrong key', path: '/v3/nobody', ws: '/ws/v3/nobody', headers: {}, text: 'invalid project id\n' },
    {
      what: 'a wrong secret',
      path: `/v3/${key}`,
      ws: `/ws/v3/${key}`,
      headers: { authorization: basic('', 'wrong') },
      text: 'invalid project id or project secret\n',
    },
  ])('and refused with 401 for $what, over WebSocket before the upgrade', async ({ path, ws, headers, text }) => {
    const reply = await post(`${gateway.rpc}${path}`, call('eth_chainId'), { headers })
    expect([reply.status, reply.text]).toEqual([401, text])
    expect(await refusedSocket(`${gateway.ws}${ws}`, { headers })).toMatchObject({ status: 401, text })
  })
})

describe('rollup_getInfo on rollup-dev', () => {
  interface Info {
    readonly ethContext: { readonly blockNumber: number }
    readonly rollupContext: { readonly index: number }
  }
  const info = async (): Promise<Info> => (await ask(`${gateway.rpc}/rollup-dev/v3/${key}`, 'rollup_getInfo')) as Info

  it('moves when the L1 mines and when the L2 mines', async () => {
    const { dev, 'rollup-dev': rollup } = node.networks
    const head = async (): Promise<{ number: string; timestamp: string }> =>
      (await ask(dev.httpUrl, 'eth_getBlockByNumber', ['latest', false])) as never
    const before = await info()
    expect(before).toMatchObject({ mode: 'sequencer', syncing: false })
    expect(before.ethContext.blockNumber).toBe(Number((await head()).number))

    await ask(dev.httpUrl, 'anvil_mine', ['0x3'])
    const afterL1 = await info()
    const ethContext = { blockNumber: before.ethContext.blockNumber + 3, timestamp: Number((await head()).timestamp) }
    expect(afterL1).toEqual({ ...before, ethContext })

    await ask(rollup.httpUrl, 'anvil_mine', ['0x5'])
    const afterL2 = await info()
    expect(afterL2.ethContext).toEqual(ethContext)
    expect(afterL2.rollupContext.index).toBe(before.rollupContext.index + 5)
  })

  it('answers in a batch and over WebSocket alike', async () => {
    const url = `${gateway.rpc}/rollup-dev/v3/${key}`
    const batch = [call('rollup_getInfo', [], 'a'), call('eth_chainId', [], 'b')]
    const answers = JSON.parse((await post(url, batch)).text) as RpcAnswer[]
    expect(answers).toEqual([
      { jsonrpc: '2.0', id: 'a', result: await info() },
      { jsonrpc: '2.0', id: 'b', result: '0x385' },
    ])
    await using socket = await openSocket(`${gateway.ws}/rollup-dev/ws/v3/${key}`)
    expect(await socket.ask('rollup_getInfo')).toMatchObject({ result: await info() })
  })

  it('is not there on a network that is no rollup', async () => {
    const { status, text } = await post(`${gateway.rpc}/dev/v3/${key}`, call('rollup_getInfo'))
    expect([status, (JSON.parse(text) as RpcAnswer).error?.code]).toEqual([200, -32601])
  })
})
