// Calls with JWTs, over a real gateway whose project takes nothing else, and over peers that misbehave.
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type ClientOptions, createClient } from '@wayleave/client'
import { gas } from '@wayleave/client/gas'
import { ipfs } from '@wayleave/client/ipfs'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { apiKey, failure, type Gateway, startCommand } from '../helpers.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
let serial = 0

function tokenBy(key: typeof privateKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 3_600
  const head = { alg: 'ES256', typ: 'JWT', kid: 'ec-1' }
  const input = `${encode(head)}.${encode({ aud: 'wayleave', exp, serial: ++serial })}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

let node: DevNode
let gateway: Gateway

beforeAll(async () => {
  node = await startDevNode()
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-client-token-'))
  const config = join(folder, 'wayleave.config.json')
  const { httpUrl, wsUrl } = node.networks.dev
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  await writeFile(
    config,
    JSON.stringify({
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      dataDir: folder,
      ipfs: { backend: 'local' },
      networks: {
        dev: { kind: 'evm', chainId: 31337, upstreams: [{ url: httpUrl, ws: wsUrl }], gas: { blocksOnDemand: true } },
      },
      projects: [{ name: 'test', keys: [{ key: apiKey }], requireJwt: true, jwt: { keys: [{ id: 'ec-1', pem }] } }],
    }),
  )
  gateway = await startCommand(['serve', '--config', config], folder)
})
afterAll(async () => {
  await gateway.close()
  await node.close()
})

const open = (token: ClientOptions['token'], more: Partial<Omit<ClientOptions, 'apis'>> = {}, chainId?: number) => {
  const apis = { gas: gas({ ...(chainId && { chainId }) }), ipfs: ipfs({ url: gateway.ipfs! }) }
  return createClient({ url: gateway.url, apiKey, token: token!, ...more, apis })
}

const ways: readonly [string, (client: ReturnType<typeof open>) => Promise<unknown>, object?][] = [
  ['HTTP', (client) => client.eth.chainId()],
  ['HTTP, in batches', (client) => Promise.all([client.eth.chainId(), client.eth.blockNumber()]), { batch: true }],
  ['WebSocket', (client) => client.eth.chainId(), { transport: 'websocket' }],
  [
    'WebSocket, for a subscription',
    async (client) => (await client.subscribe(['newHeads'], { onEvent() {} })).unsubscribe(),
  ],
  ['the gas API', (client) => client.gas.suggested()],
  [
    'a stream of gas fees',
    async (client) => {
      for await (const fees of client.gas.watch()) return fees
      throw new Error('it ended')
    },
  ],
  ['the IPFS API', (client) => client.ipfs.version()],
]

describe.each(ways)('over %s', (_what, use, more = {}) => {
  it('a fixed token is sent', async () => {
    await using client = open(tokenBy(privateKey), more)
    await use(client)
  })

  it('a token of a provider is asked for once, and again where it was refused', async () => {
    let asked = 0
    const token = async (): Promise<string> => tokenBy(++asked === 1 ? stranger.privateKey : privateKey)
    await using client = open(token, more, 31337)
    await use(client)
    expect(asked).toBe(2)
    await use(client)
    expect(asked).toBe(2)
  })

  it('a provider that fails is the error of the call', async () => {
    const token = (): string => {
      throw new Error('signed out')
    }
    await using client = open(token, { retry: false, ...more }, 31337)
    const thrown = await failure(use(client))
    expect(thrown.message).toBe('token: the provider failed: see cause')
    expect((thrown.cause as Error).message).toBe('signed out')
  })

  it('a token that stays refused is the 401 of the gateway, or no connection', async () => {
    let asked = 0
    const token = (): string => {
      asked++
      return tokenBy(stranger.privateKey)
    }
    await using client = open(token, { retry: false, timeoutMs: 5_000, ...more }, 31337)
    const thrown = await failure(use(client))
    expect(inspect(thrown)).toMatch(/401|no WebSocket connection could be made|Unauthorized/)
    expect(asked).toBeLessThanOrEqual(2)
  })
})

it('adds to IPFS with a token, in the place of the secret', async () => {
  await using client = open(async () => tokenBy(privateKey))
  const { cid } = await client.ipfs.add('hello\n')
  expect(cid).toBe('QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN')
})

it.each([
  [{ apiKeySecret: 's' }, 'token: takes the place of apiKeySecret'],
  [{ url: 'http://:s@127.0.0.1' }, 'token: takes the place of apiKeySecret'],
  [{ token: 'S3CR3T S3CR3T' }, 'token: expected a JWT'],
  [{ token: 5 as never }, 'token: expected a JWT'],
  [{ token: '' }, 'token: expected a JWT'],
  [{ token: 'S3CR3T\n' }, 'token: expected a JWT'],
  [{ token: 'S3CR3Tä' }, 'token: expected a JWT'],
  [{ token: 'x'.repeat(8_193) }, 'token: expected a JWT'],
])('refuses %j beside it', (more, message) => {
  const make = () => createClient({ url: 'http://127.0.0.1', apiKey, token: 'S3CR3T', ...more })
  expect(make).toThrow(message)
  expect(make).not.toThrow('S3CR3T')
})

describe('a token of a client', () => {
  const token = tokenBy(privateKey)
  const forbidden = [token, token.split('.')[2]!, apiKey]
  const expectNone = (text: string): void => {
    for (const word of forbidden) expect(text).not.toContain(word)
  }
  const peers: readonly [string, (request: IncomingMessage, response: ServerResponse) => void][] = [
    [
      'repeats the head of a request',
      (request, response) => {
        const said = `${request.url} ${request.headers.authorization}`
        response.writeHead(401).end(JSON.stringify({ statusCode: 401, message: said, Message: said }))
      },
    ],
    ['breaks off', (request) => void request.socket.destroy()],
    ['never answers', () => {}],
  ]

  it.each(peers)('stands in no error of a call to a peer that %s', async (_what, answer) => {
    const server = createServer((request, response) => {
      request.resume()
      answer(request, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const apis = { gas: gas({ chainId: 1 }), ipfs: ipfs({ url }) }
    const options = { url, apiKey, apis, timeoutMs: 300, retry: false } as const
    for (const given of [token, async () => token]) {
      await using client = createClient({ ...options, token: given })
      expectNone(inspect(client, { depth: Infinity, showHidden: true }) + JSON.stringify(client) + String(client))
      for (const call of [() => client.eth.chainId(), () => client.gas.suggested(), () => client.ipfs.version()]) {
        const thrown = await failure(call())
        expectNone(inspect(thrown, { depth: Infinity, showHidden: true, getters: true }))
        expectNone([thrown.message, thrown.stack, String(thrown), JSON.stringify(thrown)].join('\n'))
        expectNone(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown)))
      }
    }
  })
})
