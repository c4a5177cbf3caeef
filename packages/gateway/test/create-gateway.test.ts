import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Config,
  createGateway,
  type CreateGatewayOptions,
  createLog,
  type MountedGateway,
  startGateway,
} from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { basic, exchange, frame, key, secret, send, startNode, until } from './support.ts'
import { openSocket } from './web-socket-client.ts'

const log = createLog({ level: 'silent' })
const projects: NonNullable<Config['projects']> = [{ name: 'open', keys: [{ key, secret }] }]

async function open(more: Partial<Config> = {}, options: CreateGatewayOptions = {}): Promise<MountedGateway> {
  const node = await startNode()
  const network = { kind: 'evm', followHeads: false, upstreams: [node.url] } as const
  const networks: Config['networks'] = { mainnet: { ...network, chainId: 1 }, other: { ...network, chainId: 2 } }
  const config: Config = { cache: false, networks, projects, defaultNetwork: 'mainnet', ...more }
  const gateway = await createGateway(config, { log, ...options })
  onTestFinished(async () => {
    await gateway.close()
    await node.close()
  })
  return gateway
}

async function serve(listener: RequestListener, gateway?: MountedGateway): Promise<string> {
  const server = createServer(listener)
  if (gateway !== undefined) server.on('upgrade', gateway.upgrade)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const call = (url: string, more: RequestInit = {}): Request =>
  new Request(url, { method: 'POST', body: frame('eth_x'), ...more })

describe('a gateway on a server of another program', () => {
  it('answers over fetch and over node:http alike', async () => {
    const gateway = await open()
    const url = await serve(gateway.nodeListener)
    const overNode = await send(url, `/v3/${key}`, { body: frame('eth_x', [1], 'a') })
    const overFetch = await gateway.fetch(call(`http://localhost/v3/${key}`, { body: frame('eth_x', [1], 'a') }))
    expect(overNode.status).toBe(200)
    expect(await overFetch.text()).toBe(overNode.body)
    const without = (headers: Iterable<[string, unknown]>): unknown =>
      Object.fromEntries(
        [...headers].filter(([name]) => !['connection', 'date', 'keep-alive', 'x-trace-id'].includes(name)),
      )
    expect(without(overFetch.headers)).toEqual(without(Object.entries(overNode.headers)))
  })

  it('refuses strangers, and serves its health', async () => {
    const gateway = await open()
    expect((await gateway.fetch(call('http://localhost/v3/stranger'))).status).toBe(401)
    const health = await gateway.fetch(new Request('http://localhost/healthz'))
    expect([health.status, await health.text()]).toEqual([200, 'ok\n'])
  })

  it('goes by the host that its caller asked, where the path names no network', async () => {
    const gateway = await open({ bareHosts: ['api.example.org'] })
    const url = await serve(gateway.nodeListener)
    const overNode = async (host: string, path = `/v3/${key}`): Promise<number> =>
      (await send(url, path, { body: frame('eth_x'), headers: { host } })).status
    const overFetch = async (host: string, path = `/v3/${key}`): Promise<number> =>
      (await gateway.fetch(call(`http://${host}${path}`))).status
    for (const ask of [overNode, overFetch]) {
      expect(await ask('other.example.org')).toBe(200)
      expect(await ask('api.example.org')).toBe(200)
      expect(await ask('app.example.org')).toBe(404)
      expect(await ask('app.example.org', `/other/v3/${key}`)).toBe(200)
    }
  })

  it('is below its base path, whether its server takes that off or not', async () => {
    const gateway = await open({}, { basePath: '/rpc' })
    const url = await serve(gateway.nodeListener, gateway)
    for (const path of [`/rpc/v3/${key}`, `/v3/${key}`, `/rpc/other/v3/${key}`]) {
      expect((await send(url, path, { body: frame('eth_x') })).status).toBe(200)
      expect((await gateway.fetch(call(`http://localhost${path}`))).status).toBe(200)
    }
    expect((await send(url, `/rpcs/v3/${key}`, { body: frame('eth_x') })).status).toBe(404)
    expect((await send(url, '/rpc/healthz')).status).toBe(200)
    const client = await openSocket(`${url.replace('http', 'ws')}/rpc/ws/v3/${key}`)
    await client.close()
  })

  it('serves WebSocket connections of its server, and closes them with 1012', async () => {
    const gateway = await open()
    const url = await serve((_request, response) => void response.writeHead(404).end(), gateway)
    const client = await openSocket(`${url.replace('http', 'ws')}/ws/v3/${key}`)
    client.send(frame('eth_x', [], 7))
    expect(await client.next()).toMatchObject({ id: 7, result: { method: 'eth_x' } })
    await gateway.close()
    await until(() => client.closed !== undefined)
    expect(client.closed?.code).toBe(1012)
  })

  it('gives a connection whose offer of another protocol is not taken back to its server', async () => {
    const gateway = await open()
    const seen: string[] = []
    const url = await serve((request, response) => {
      seen.push(request.url!)
      if (request.url === '/own') response.end('own')
      else gateway.nodeListener(request, response)
    }, gateway)
    const offer = ['Host: localhost', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAA']
    const first = [`POST /v3/${key} HTTP/1.1`, ...offer, `Content-Length: ${frame('eth_x').length}`, '', frame('eth_x')]
    const second = ['GET /own HTTP/1.1', 'Host: localhost', 'Connection: close', '', '']
    const text = await exchange(url, first.join('\r\n') + second.join('\r\n'))
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect(text).toMatch(/own$/)
    expect(seen).toEqual([`/v3/${key}`, '/own'])
  })

  it('counts a caller over fetch as one from nowhere unless its server tells the address', async () => {
    const gateway = await open({
      projects: [{ name: 'near', keys: [{ key }], rules: { sources: ['192.0.2.0/24'] } }],
    })
    const ask = async (remoteAddress?: string): Promise<unknown> => {
      const answer = await gateway.fetch(call(`http://localhost/v3/${key}`), { remoteAddress })
      return JSON.parse(await answer.text()).error === undefined
    }
    expect([await ask(), await ask('198.51.100.1'), await ask('192.0.2.7')]).toEqual([false, false, true])
  })

  it('serves the gas API beside JSON-RPC, and the IPFS API below /api/v0', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wayleave-mounted-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const gateway = await open({ dataDir: folder, ipfs: { backend: 'local' } })
    const names = await gateway.fetch(new Request('http://localhost/v1/supportedChainNames'))
    expect(names.status).toBe(200)
    const url = await serve(gateway.nodeListener)
    const authorization = basic(key, secret)
    const content = new Uint8Array(3_000_000).map((_, i) => i % 251)
    for (const ask of [
      (path: string, init: RequestInit) => fetch(url + path, init),
      (path: string, init: RequestInit) => gateway.fetch(new Request(`http://localhost${path}`, init)),
    ]) {
      const body = new FormData()
      body.append('file', new Blob([content]), 'file')
      const added = await ask('/api/v0/add', { method: 'POST', headers: { authorization }, body })
      const { Hash } = JSON.parse(await added.text()) as { Hash: string }
      const read = await ask(`/api/v0/cat?arg=${Hash}`, { method: 'POST', headers: { authorization } })
      expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true)
    }
  })

  it('serves operators where its program wants it', async () => {
    const gateway = await open()
    const url = await serve(gateway.adminListener)
    expect((await send(url, '/healthz')).status).toBe(200)
    expect((await send(url, '/metrics')).body).toContain('wayleave_')
  })

  it('takes another configuration, and refuses calls once it is closed', async () => {
    const gateway = await open()
    const url = await serve(gateway.nodeListener)
    expect((await send(url, '/other/v3/new-key', { body: frame('eth_x') })).status).toBe(401)
    const { applied } = await gateway.reload({
      cache: false,
      networks: { other: { kind: 'evm', chainId: 2, followHeads: false, upstreams: ['http://127.0.0.1:1'] } },
      projects: [{ name: 'new', keys: [{ key: 'new-key' }] }],
    })
    expect(applied).toBe(true)
    expect(gateway.networks).toEqual({ other: 2 })
    expect((await send(url, '/other/v3/new-key', { body: frame('eth_x') })).status).toBe(502)
    await gateway.close()
    expect((await send(url, '/other/v3/new-key', { body: frame('eth_x') })).status).toBe(503)
    expect((await gateway.fetch(call('http://localhost/other/v3/new-key'))).status).toBe(503)
  })
})

it('a gateway of its own listener answers the same bytes as one that is mounted', async () => {
  const node = await startNode()
  const networks: Config['networks'] = {
    mainnet: { kind: 'evm', chainId: 1, followHeads: false, upstreams: [node.url] },
  }
  const listen = { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }
  const own = await startGateway({ listen, cache: false, networks, projects }, { log })
  const mounted = await createGateway({ cache: false, networks, projects }, { log })
  const bodies = [frame('eth_a', [1], 'x'), `[${frame('eth_a')},${frame('eth_b')}]`, '{', '[]', '']
  for (const body of bodies) {
    const url = `/v3/${key}`
    const expected = await fetch(own.rpc + url, { method: 'POST', body })
    const answer = await mounted.fetch(new Request(`http://localhost${url}`, { method: 'POST', body }))
    const plain = (text: string): string => text.replaceAll(/[\da-f]{32}/g, '<id>')
    expect(plain(await answer.text())).toBe(plain(await expected.text()))
    expect(answer.status).toBe(expected.status)
  }
  await own.close()
  await mounted.close()
  await node.close()
})
