// Real gateways that reach real nodes through real proxies, and by TLS with certificates of both ends.
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { NetworkConfig, UpstreamConfig } from '@wayleave/gateway'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
// @boundaries-ignore The same certificates as the tests of doctor make.
import { type CertificateFiles, makeCertificate } from '../../../../apps/cli/test/doctor/certificates.ts'
import { environmentProxy } from '@wayleave/network/internal/config/environment-proxy'
import { basic, frame, key, send, startTestGateway } from '../support.ts'

const folder = mkdtempSync(join(tmpdir(), 'wayleave-ways-'))
let ofNode: CertificateFiles
let ofGateway: CertificateFiles

beforeAll(() => {
  ofNode = makeCertificate(join(folder, 'node'), '20990101000000Z', 'node.test')
  ofGateway = makeCertificate(join(folder, 'gateway'), '20990101000000Z')
  return () => rmSync(folder, { recursive: true })
})

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a node over HTTP and WebSocket, or with TLS over both, that asks for a certificate of `wants`. */
async function startNode({ tls = false, wants }: { tls?: boolean; wants?: string } = {}) {
  const headers: IncomingMessage['headers'][] = []
  const answer = ({ id }: { readonly id: unknown }) => JSON.stringify({ jsonrpc: '2.0', id, result: '0x7' })
  const listener: RequestListener = (asked, response) => {
    headers.push(asked.headers)
    void json(asked).then((body) => response.end(answer(body as { id: unknown })))
  }
  const asking = wants === undefined ? {} : { ca: readFileSync(wants), requestCert: true, rejectUnauthorized: true }
  const server = tls
    ? createTlsServer({ cert: readFileSync(ofNode.cert), key: readFileSync(ofNode.key), ...asking }, listener)
    : createServer(listener)
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) =>
    socket.on('message', (data) => socket.send(answer(JSON.parse(String(data)) as { id: unknown }))),
  )
  const port = await listening(server)
  const s = tls ? 's' : ''
  return { port, headers, url: `http${s}://127.0.0.1:${port}`, ws: `ws${s}://127.0.0.1:${port}` }
}

/** Starts a proxy that leads every name to `port`, or to the port that is asked for. */
async function startProxy(user = '', port?: number) {
  const asked: string[] = []
  const isKnown = ({ headers }: IncomingMessage): boolean => user === '' || headers['proxy-authorization'] === user
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`)
    if (!isKnown(incoming)) return void response.writeHead(407).end('who are you, password-of-proxy?')
    const { 'proxy-authorization': _own, ...headers } = incoming.headers
    const { port: given, pathname: path } = new URL(incoming.url!)
    const onward = request({ port: port ?? given, path, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(onward)
  })
  server.on('connect', (incoming: IncomingMessage, near: Socket) => {
    asked.push(`CONNECT ${incoming.url}`)
    near.on('error', () => {})
    if (!isKnown(incoming)) return void near.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const far = connect(port ?? Number(incoming.url!.split(':').at(-1)), '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
  })
  return { asked, host: `127.0.0.1:${await listening(server)}` }
}

async function askGateway(url: string): Promise<unknown> {
  const { body } = await send(url, `/v3/${key}`, { body: frame('eth_call', [{}, '0x1']) })
  return JSON.parse(body)
}

async function ask(upstream: UpstreamConfig): Promise<unknown> {
  const network = { kind: 'evm', chainId: 7, upstreams: [upstream] } as NetworkConfig
  const gateway = await startTestGateway([], {
    networks: { mainnet: network },
    projects: [{ name: 'open', keys: [{ key }] }],
  })
  try {
    return await askGateway(gateway.rpc)
  } finally {
    await gateway.close()
  }
}

const answered = { jsonrpc: '2.0', id: 1, result: '0x7' }
const failed = expect.objectContaining({
  error: expect.objectContaining({ message: expect.stringMatching(/^no upstream answered: 1 /) }),
})

describe('an upstream with a proxy', () => {
  it.each(['url', 'ws'] as const)(
    'is sent calls by its %s through it, with the password for the proxy alone',
    async (scheme) => {
      const node = await startNode()
      const proxy = await startProxy(basic('user', 'password-of-proxy'))
      const url = node[scheme]
      expect(await ask({ url, proxy: `http://user:password-of-proxy@${proxy.host}` })).toEqual(answered)
      const line = scheme === 'url' ? `POST ${url}/` : `CONNECT 127.0.0.1:${node.port}`
      expect(new Set(proxy.asked)).toEqual(new Set([line]))
      for (const headers of node.headers) {
        expect(headers.host).toBe(`127.0.0.1:${node.port}`)
        expect(headers).not.toHaveProperty('proxy-authorization')
      }
    },
  )

  it('is sent a Host of the configuration in place of its own', async () => {
    const node = await startNode()
    const proxy = await startProxy()
    const upstream = { url: node.url, proxy: `http://${proxy.host}`, headers: { Host: 'behind.example' } }
    expect(await ask(upstream)).toEqual(answered)
    expect(node.headers.map(({ host }) => host)).toEqual(['behind.example'])
  })

  it.each(['url', 'ws'] as const)('and with TLS is reached by its %s through a tunnel', async (scheme) => {
    const node = await startNode({ tls: true })
    const proxy = await startProxy()
    expect(await ask({ url: node[scheme], proxy: `http://${proxy.host}`, tls: { ca: ofNode.cert } })).toEqual(answered)
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT 127.0.0.1:${node.port}`]))
  })

  it.each([
    ['url', false],
    ['url', true],
    ['ws', false],
  ] as const)('that refuses fails by its %s, with TLS: %s, and no word holds the password', async (scheme, tls) => {
    const node = await startNode({ tls })
    const proxy = await startProxy('another')
    const reported = await ask({ url: node[scheme], proxy: `http://user:password-of-proxy@${proxy.host}` })
    expect(reported).toEqual(failed)
    expect(JSON.stringify(reported)).not.toContain('password-of-proxy')
  })

  it.each(['url', 'ws'] as const)('that is away fails by its %s', async (scheme) => {
    const node = await startNode({ tls: true })
    expect(await ask({ url: node[scheme], proxy: 'http://127.0.0.1:1' })).toEqual(failed)
  })

  it.each([
    ['HTTP_PROXY', 'url', false],
    ['HTTP_PROXY', 'ws', false],
    ['https_proxy', 'url', true],
    ['HTTPS_PROXY', 'ws', true],
  ] as const)(
    'of the environment (%s) is used for its %s, unless NO_PROXY names its host',
    async (variable, scheme, tls) => {
      const node = await startNode({ tls })
      const proxy = await startProxy('', node.port)
      vi.stubEnv(variable, proxy.host)
      onTestFinished(() => void vi.unstubAllEnvs())
      const upstream = { url: node[scheme].replace('127.0.0.1', 'node.test'), ...(tls && { tls: { ca: ofNode.cert } }) }
      expect(await ask(upstream)).toEqual(answered)
      const { length } = proxy.asked
      expect(length).toBeGreaterThan(0)
      vi.stubEnv('NO_PROXY', 'example.org,.test')
      expect(await ask(upstream)).toEqual(failed)
      expect(proxy.asked).toHaveLength(length)
    },
  )
})

it('a network without a chain id has its upstreams asked for it on the same way', async () => {
  const node = await startNode()
  const proxy = await startProxy('', node.port)
  vi.stubEnv('HTTP_PROXY', proxy.host)
  onTestFinished(() => void vi.unstubAllEnvs())
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', upstreams: ['http://node.test:8545/path'] } },
  })
  await gateway.close()
  expect(new Set(proxy.asked)).toEqual(new Set(['POST http://node.test:8545/path']))
})

describe('an upstream that asks for a certificate', () => {
  it.each(['url', 'ws'] as const)('serves by its %s who shows one, and nobody else', async (scheme) => {
    const node = await startNode({ tls: true, wants: ofGateway.cert })
    const url = node[scheme]
    expect(await ask({ url, tls: { ...ofGateway, ca: ofNode.cert } })).toEqual(answered)
    expect(await ask({ url, tls: { ca: ofNode.cert } })).toEqual(failed)
    expect(await ask({ url, tls: ofGateway })).toEqual(failed)
  })

  it('is shown the certificate that the files hold at the time of the connection', async () => {
    const node = await startNode({ tls: true, wants: ofGateway.cert })
    const own = { cert: join(folder, 'own.crt'), key: join(folder, 'own.key') }
    copyFileSync(ofNode.cert, own.cert)
    copyFileSync(ofNode.key, own.key)
    const network = { kind: 'evm', chainId: 7, upstreams: [{ url: node.url, tls: { ...own, ca: ofNode.cert } }] }
    const gateway = await startTestGateway([], {
      networks: { mainnet: network as NetworkConfig },
      projects: [{ name: 'open', keys: [{ key }] }],
    })
    onTestFinished(() => gateway.close())
    expect(await askGateway(gateway.rpc)).toEqual(failed)
    copyFileSync(ofGateway.cert, own.cert)
    copyFileSync(ofGateway.key, own.key)
    expect(await askGateway(gateway.rpc)).toEqual(answered)
  })

  it('has its files checked before anything is served', async () => {
    const problems = { cert: ofNode.cert, key: ofGateway.key, ca: join(folder, 'absent.pem') }
    await expect(ask({ url: 'https://127.0.0.1:1', tls: problems })).rejects.toThrow(
      'networks.mainnet.upstreams[0].tls.key: expected the private key of the certificate in networks.mainnet.upstreams[0].tls.cert, got the ec key of another\n' +
        'networks.mainnet.upstreams[0].tls.ca: expected a PEM file that can be read, got ENOENT',
    )
  })
})

describe('the proxy of an environment', () => {
  const proxies = { HTTP_PROXY: 'plain:1', HTTPS_PROXY: 'https://secure:2' }

  it.each([
    ['http://node', {}, 'http://plain:1'],
    ['ws://node', {}, 'http://plain:1'],
    ['https://node', {}, 'https://secure:2'],
    ['wss://node', {}, 'https://secure:2'],
    ['wss://node', { https_proxy: 'http://small' }, 'http://small'],
    ['https://node', { https_proxy: '' }, undefined],
    ['http://localhost:8545', {}, undefined],
    ['http://127.0.0.9', {}, undefined],
    ['ws://[::1]:8546', {}, undefined],
    ['https://node.example.org', { NO_PROXY: 'example.org' }, undefined],
    ['https://node.example.org', { NO_PROXY: 'a, .Example.org' }, undefined],
    ['https://node.example.org', { NO_PROXY: '*.example.org' }, undefined],
    ['https://node.example.org', { no_proxy: 'node.example.org:443' }, undefined],
    ['https://node.example.org', { no_proxy: 'node.example.org:80' }, 'https://secure:2'],
    ['https://anode', { NO_PROXY: 'node' }, 'https://secure:2'],
    ['https://node', { NO_PROXY: '*' }, undefined],
    ['http://10.1.2.3', { NO_PROXY: '10.0.0.0/8' }, undefined],
    ['http://11.1.2.3', { NO_PROXY: '10.0.0.0/8' }, 'http://plain:1'],
    ['http://[fd00::1]:80', { NO_PROXY: 'fd00::/8' }, undefined],
    ['http://[fd00::1]:80', { NO_PROXY: '[fd00::1]:80' }, undefined],
    ['http://[fd00::1]:81', { NO_PROXY: '[fd00::1]:80' }, 'http://plain:1'],
  ])('for %s with %j is %s', (url, further, expected) => {
    expect(environmentProxy(url, { ...proxies, ...further })?.url).toBe(expected)
  })
})
