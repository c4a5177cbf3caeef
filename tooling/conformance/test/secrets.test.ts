import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, post, type PostOptions } from './support/http.ts'
import {
  answer,
  deadUrl,
  hang,
  type HttpScript,
  type Peer,
  type PeerCall,
  refuseWith,
  reset,
  startPeer,
} from './support/peer.ts'
import { type ProxyProcess, startProxy } from './support/proxy-process.ts'
import { formsOf, secretsIn } from './support/secret-forms.ts'
import { createTokenSigner, signToken } from './support/tokens.ts'
import { openSocket, refusedSocket } from './support/socket.ts'

const signer = createTokenSigner()
const sha256 = (text: string): string => hash('sha256', text)

/** What callers send; nobody else is to see it. */
const callers = {
  key: '1f0e2d3c4b5a69788796a5b4c3d2e1f0',
  secret: 's3cret/ü?&:with+marks',
  'locked key': '0f1e2d3c4b5a69788796a5b4c3d2e1ff',
  'locked secret': 'locked-secret-a81f93',
  'wrong key': '1f0e2d3c4b5a69788796a5b4c3d2e1f1',
  'wrong secret': 's3cret/ü?&:with+marts',
  cookie: 'cookie-of-a-caller-5521',
  'hashed key': 'key-that-is-kept-as-a-hash-9a7c',
  'hashed secret': 'secret-that-is-kept-as-a-hash-31f8',
  'expired key': 'key-that-has-expired-77b1',
  'first token': signToken(signer),
  'expired token': signToken(signer, { exp: 1_000 }),
  'token of a stranger': signToken(createTokenSigner()),
} as const

/** What one upstream asks for; only that one is to see it. */
const credentialsOf = (name: string): Record<string, string> => ({
  [`user of ${name}`]: `user-${name}-4f1c`,
  [`password of ${name}`]: `pass/${name}-9d2e`,
  [`path of ${name}`]: `path-${name}-77aa`,
  [`query of ${name}`]: `query-${name}-31bb`,
  [`header of ${name}`]: `header-${name}-c0de`,
})

const adminToken = { 'admin token': 'admin-token-0a1b2c3d' }
const webhook = { 'webhook secret': 'webhook-secret-66aa1b', 'webhook path': 'webhook-path-71d2c0' }

/** Puts an upstream's credentials into every place where they can stand. */
function upstreamOf(name: string, base: string): { readonly url: string; readonly headers: Record<string, string> } {
  const [user, password, path, query, header] = Object.values(credentialsOf(name)) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const url = new URL(`${base}/${path}?key=${query}`)
  url.username = user
  url.password = password
  return { url: url.href.replace(/%2f/i, '%2F'), headers: { 'x-upstream-token': header } }
}

/** All that an upstream was sent, as an unkind or careless one would repeat it. */
function echo({ request }: PeerCall): string {
  const { authorization = '' } = request.headers
  const credentials = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
  return `${request.url} ${authorization} ${credentials} ${request.headers['x-upstream-token'] as string}`
}

const scripts: Readonly<Record<string, HttpScript>> = {
  good: answer('0x1'),
  reset,
  html: (peerCall) => refuseWith(500, `<pre>${echo(peerCall)}</pre>`)(peerCall),
  garbage: (peerCall) => refuseWith(200, `{"jsonrpc":"2.0","id":${peerCall.id},"result":"${echo(peerCall)}`)(peerCall),
  text: (peerCall) => refuseWith(200, echo(peerCall), 'text/plain')(peerCall),
  unauthorized: (peerCall) => refuseWith(401, errorOf(peerCall), 'application/json')(peerCall),
  limited: (peerCall) => refuseWith(429, errorOf(peerCall), 'application/json')(peerCall),
  moved: (peerCall) =>
    void peerCall.response.writeHead(302, { location: `http://127.0.0.1:1/${echo(peerCall)}` }).end(),
  hanging: hang,
}

const errorOf = (peerCall: PeerCall): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: peerCall.id,
    error: { code: -32000, message: echo(peerCall), data: echo(peerCall) },
  })

const basic = (user: string, password: string): { authorization: string } => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

const peers: Record<string, Peer> = {}
let proxy: ProxyProcess
let names: string[]
/** Status lines, headers and bodies that callers got. */
const replies: string[] = []
let exitCode: number | null
let metrics = ''

beforeAll(async () => {
  const networks: Record<string, object> = {}
  for (const [name, script] of Object.entries(scripts)) {
    const peer = await startPeer(script, ({ id, method }, socket) => {
      if (name !== 'good') return socket.terminate()
      // The gateway subscribes to heads, too.
      const result = method === 'eth_subscribe' ? `0xabc${id}` : '0x1'
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":"${result}"}`)
    })
    peers[name] = peer
    networks[name] = {
      kind: 'evm',
      chainId: 1,
      upstreams: [upstreamOf(name, peer.httpUrl), upstreamOf(name, peer.wsUrl)],
    }
  }
  const refused = [upstreamOf('refused', await deadUrl()), upstreamOf('refused', await deadUrl('ws'))]
  networks['refused'] = { kind: 'evm', chainId: 1, upstreams: refused }
  networks['unresolved'] = {
    kind: 'evm',
    chainId: 1,
    upstreams: [upstreamOf('unresolved', 'http://no-such-host.invalid')],
  }
  networks['no-tls'] = {
    kind: 'evm',
    chainId: 1,
    upstreams: [upstreamOf('no-tls', peers['good']!.httpUrl.replace('http', 'https'))],
  }
  names = Object.keys(networks)
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    admin: { token: adminToken['admin token'] },
    defaultNetwork: 'good',
    networks,
    plans: { small: { perDay: { credits: 100 } } },
    webhook: { url: `${await deadUrl()}/${webhook['webhook path']}`, secret: webhook['webhook secret'] },
    projects: [
      { name: 'open', keys: [{ key: '${OPEN_KEY}', secret: '${OPEN_SECRET}' }] },
      {
        name: 'locked',
        plan: 'small',
        requireSecret: true,
        keys: [{ key: callers['locked key'], secret: callers['locked secret'] }],
        networks: ['good'],
      },
      {
        name: 'ruled',
        rules: { methods: ['eth_chainId'], origins: ['https://other.example.org'] },
        jwt: { keys: [{ id: signer.id, pem: signer.pem }] },
        keys: [
          {
            keyHash: `sha256:${sha256(callers['hashed key'])}`,
            secrets: [{ secretHash: `sha256:${sha256(callers['hashed secret'])}` }],
          },
          { key: callers['expired key'], expiresAt: '2020-01-01' },
        ],
      },
    ],
    limits: { requestTimeoutMs: 1_100, maxBodyBytes: 10_000 },
  }
  proxy = await startProxy(config, { OPEN_KEY: callers.key, OPEN_SECRET: callers.secret })
  await driveHttp()
  await driveBadHttp()
  await driveWebSockets()
  replies.push((await post(`${proxy.rpc}/readyz`, '', { method: 'GET' })).text)
  const headers = { authorization: `Bearer ${adminToken['admin token']}` }
  metrics = (await post(`${proxy.admin}/metrics`, '', { method: 'GET', headers })).text
  exitCode = await proxy.stop()
}, 120_000)

afterAll(async () => {
  for (const peer of Object.values(peers)) await peer[Symbol.asyncDispose]()
})

async function send(path: string, body: unknown, options: PostOptions = {}): Promise<void> {
  const headers = { cookie: callers.cookie, origin: 'https://app.example.org', ...options.headers }
  const { status, headers: got, text } = await post(`${proxy.rpc}${path}`, body, { ...options, headers })
  replies.push(`${status} ${JSON.stringify(got)}\n${text}`)
}

/** Whom a caller may say that he is. */
const logins: readonly { readonly key: string; readonly headers?: { authorization: string } }[] = [
  { key: callers.key },
  { key: callers.key, headers: basic('', callers.secret) },
  { key: callers.key, headers: basic(callers.key, callers.secret) },
  { key: callers.key, headers: basic('', callers['wrong secret']) },
  { key: callers.key, headers: { authorization: `Bearer ${callers.secret}` } },
  { key: callers['wrong key'] },
  { key: callers['wrong key'], headers: basic('', callers.secret) },
  { key: callers['locked key'] },
  { key: callers['locked key'], headers: basic('', callers['locked secret']) },
  { key: callers['expired key'] },
  { key: callers['hashed key'] },
  { key: callers['hashed key'], headers: basic('', callers['hashed secret']) },
  ...(['first token', 'expired token', 'token of a stranger'] as const).map((name) => ({
    key: callers['hashed key'],
    headers: { authorization: `Bearer ${callers[name]}` },
  })),
]

async function driveHttp(): Promise<void> {
  const bodies = [
    call('eth_gasPrice'),
    call('eth_sendRawTransaction', ['0x02']),
    call('admin_peers'),
    [call('eth_gasPrice', [], 1), call('eth_chainId', [], 2), 7],
  ]
  for (const name of names) {
    const used = name === 'good' ? logins : logins.slice(0, 2)
    for (const { key, headers = {} } of used) {
      await Promise.all(bodies.map((body) => send(`/${name}/v3/${key}`, body, { headers })))
    }
  }
}

async function driveBadHttp(): Promise<void> {
  const { key, secret } = callers
  const headers = basic('', secret)
  const paths = [
    `/v9/${key}`,
    `/v3/${key}/`,
    `/v3/${key}/more`,
    `/v3/${key}?secret=${encodeURIComponent(secret)}`,
    `/v3/?key=${key}`,
    `/v3/${key}%00`,
    `/v3/${encodeURIComponent(secret)}`,
    `/nowhere/v3/${key}`,
    `/ws/v3/${key}`,
    `/healthz/${key}`,
    `/x/y/${key}`,
    `//v3/${key}`,
  ]
  for (const [path, of] of [
    ['/v3', key],
    [`/v3/${key}`, callers['hashed key']],
    ['/v3', callers['wrong key']],
  ] as const) {
    await send(path, call('eth_gasPrice'), { headers: { 'x-api-key': of } })
  }
  for (const path of paths) {
    for (const method of ['POST', 'GET', 'PUT', 'OPTIONS']) await send(path, call('eth_gasPrice'), { method, headers })
  }
  for (const body of ['{', 'nonsense', '[]', '{"jsonrpc":"1.0"}', JSON.stringify('x'.repeat(20_000))]) {
    await send(`/v3/${key}`, body, { headers })
  }
  for (const encoding of ['gzip', 'unknown'])
    await send(`/v3/${key}`, call('eth_gasPrice'), { headers: { ...headers, 'content-encoding': encoding } })
  await post(`${proxy.admin}/v3/${key}`, '', { method: 'GET', headers }).then(({ text }) => replies.push(text))
  for (const request of [
    `POST /v3/${key} HTTP/1.1\r\nno colon here ${secret}\r\n\r\n`,
    `POST /v3/${key} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\nContent-Length: nine\r\n\r\n`,
    `GET /ws/v3/${key} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 1\r\n\r\n`,
    `CONNECT /v3/${key} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /ws/v3/${key} HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n`,
  ]) {
    replies.push(await raw(request))
  }
}

async function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(proxy.rpc)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => {})
  socket.end(request)
  await once(socket, 'close')
  return text
}

async function driveWebSockets(): Promise<void> {
  for (const name of names) {
    await using socket = await openSocket(`${proxy.ws}/${name}/ws/v3/${callers.key}`, {
      headers: basic('', callers.secret),
    })
    for (const [method, params] of [
      ['eth_gasPrice', []],
      ['eth_subscribe', ['newHeads']],
      ['eth_sendRawTransaction', ['0x']],
    ] as const) {
      replies.push(JSON.stringify(await socket.ask(method, params).catch((why: Error) => why.message)))
    }
    for (const upstream of peers[name]?.sockets ?? []) upstream.terminate()
  }
  for (const { key, headers } of [...logins.slice(3, 8), ...logins.slice(9)]) {
    const { status, head, text } = await refusedSocket(
      `${proxy.ws}/ws/v3/${key}`,
      headers === undefined ? {} : { headers },
    )
    replies.push(`${status} ${head} ${text}`)
  }
  for (const path of [`/v3/${callers.key}`, `/nowhere/ws/v3/${callers.key}`, `/ws/v4/${callers.key}`]) {
    const { head, text } = await refusedSocket(`${proxy.ws}${path}`)
    replies.push(`${head} ${text}`)
  }
}

describe('keys, secrets and credentials', () => {
  const upstreamSecrets = (): Record<string, string> => Object.assign({}, ...names.map((name) => credentialsOf(name)))
  /** A digest of a secret is one, too: whoever has it can try texts. */
  const digests = (): Record<string, string> =>
    Object.fromEntries(Object.entries(callers).map(([name, text]) => [`digest of the ${name}`, sha256(text)]))
  const all = (): Record<string, string> => ({
    ...callers,
    ...digests(),
    ...adminToken,
    ...webhook,
    ...upstreamSecrets(),
  })

  it('were really used by the test', () => {
    expect(exitCode).toBe(0)
    const statuses = new Set(replies.map((reply) => /^\d{3}/.exec(reply)?.[0]))
    for (const status of ['200', '401', '402', '403', '404', '405', '413', '415', '426', '502', '503', '504'])
      expect(statuses).toContain(status)
    for (const [name, peer] of Object.entries(peers)) {
      const got = peer.received.join('\n')
      expect(peer.calls, name).toContain('eth_gasPrice')
      for (const [what, secret] of Object.entries(credentialsOf(name))) {
        expect(
          formsOf(secret).some((form) => got.includes(form)),
          `${what} reaches it`,
        ).toBe(true)
      }
    }
    expect(proxy.written()).toContain('"event":"ready"')
    expect(proxy.written()).toContain('the webhook did not take a warning')
    for (const name of names.filter((each) => each !== 'good'))
      expect(proxy.written(), name).toContain(`"network":"${name}"`)
    expect(metrics).toContain(
      'wayleave_upstream_failures_total{network="html",endpoint="upstream-1",failure="internal"}',
    )
  })

  it('stand in nothing that the process wrote', () => {
    expect(secretsIn(proxy.written(), all())).toEqual([])
  })

  it('stand in no metric', () => {
    expect(secretsIn(metrics, all())).toEqual([])
  })

  it('stand in no answer, header or reason for closing', () => {
    expect(secretsIn(replies.join('\n'), all())).toEqual([])
  })

  it('of callers reach no upstream, nor do those of another upstream', () => {
    for (const [name, peer] of Object.entries(peers)) {
      const own = Object.keys(credentialsOf(name))
      const foreign = Object.fromEntries(Object.entries(all()).filter(([secret]) => !own.includes(secret)))
      expect(secretsIn(peer.received.join('\n'), foreign), name).toEqual([])
    }
  })
})
