import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { createLog, type ProjectConfig, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue, systemClock } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFeeNode } from './gas/support.ts'
import {
  basic,
  exchange,
  frame,
  key,
  rawConnection,
  secret,
  send,
  startNode,
  startTestGateway,
  type TestNode,
  reportedBy,
  until,
} from './support.ts'
import { createTokenSigner, signToken } from './tokens.ts'
import { openSocket, upgrade } from './web-socket-client.ts'

const listed = '0x7F39C581f595B53c5cb19bD0b3f8dA6c935E2Ca0'
const other = `0x${'1'.repeat(40)}`
const rsa = createTokenSigner('RS256', 'rsa-1')
const ec = createTokenSigner('ES256', 'ec-1')
const stranger = createTokenSigner('ES256', 'ec-1')
const inAnHour = Date.now() + 3_600_000
const page = 'https://app.example.com'
/** Methods that the node answers beside those that fees are made of. */
const answered = new Set(['eth_gasPrice', 'eth_call', 'eth_getBalance'])
/** Moves the wall clock of the gateway. */
let shiftMs = 0

const keyOf = (name: string): string => `key-of-the-project-${name}`
const project = (name: string, more: Omit<ProjectConfig, 'name' | 'keys'>): ProjectConfig => ({
  name,
  keys: [{ key: keyOf(name), secret }],
  ...more,
})

let node: TestNode
let gateway: RunningGateway
let folder: string
let written = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-rules-'))
  const fees = createFeeNode()
  node = await startNode((request, context) =>
    answered.has(request.method)
      ? Promise.resolve({ result: rawJsonFromValue('0x1') })
      : fees.handler(request, context),
  )
  const network = { kind: 'evm', upstreams: [node.url], gas: { blocksOnDemand: true } } as const
  gateway = await startTestGateway(
    [],
    {
      networks: { mainnet: { ...network, chainId: 1 }, other: { ...network, chainId: 2 } },
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local' },
      trustedProxies: ['127.0.0.1'],
      projects: [
        project('open', {}),
        project('methods', { rules: { methods: ['eth_chainId', 'eth_subscribe'] } }),
        project('addresses', { rules: { addresses: [listed] } }),
        project('origins', { rules: { origins: ['https://*.example.com'] } }),
        project('agents', { rules: { userAgents: ['MyWallet/'] } }),
        project('sources', { rules: { sources: ['198.51.100.0/24'] } }),
        project('networks', { networks: ['other'] }),
        project('bypassed', { rules: { methods: ['eth_chainId'], origins: [page] }, secretBypassesRules: true }),
        project('tokens', { requireJwt: true, jwt: { keys: [rsa.entry, ec.entry] } }),
        project('exact', { jwt: { keys: [ec.entry], leewayMs: 0 } }),
        project('audience', { rules: { methods: ['eth_chainId'] }, jwt: { keys: [ec.entry], audience: 'shop' } }),
        {
          name: 'keys',
          keys: [
            { keyHash: `sha256:${hash('sha256', 'kept-as-a-hash-only')}`, label: 'hashed' },
            { key: 'key-that-is-disabled', disabled: true },
            { key: 'key-that-has-expired', expiresAt: '2020-01-01' },
            { key: 'key-that-expires-soon', expiresAt: new Date(inAnHour).toISOString() },
            {
              key: 'key-with-two-secrets',
              secret: 'first-secret',
              secrets: [{ secretHash: `sha256:${hash('sha256', 'second-secret')}` }],
            },
            {
              key: 'key-with-an-old-secret',
              secrets: [
                { secret: 'old-secret', expiresAt: '2020-01-01' },
                { secret: 'new-secret', expiresAt: new Date(inAnHour).toISOString() },
              ],
            },
          ],
        },
      ],
    },
    {
      log: createLog({ level: 'warn', destination: { write: (line) => void (written += line) } }),
      surroundings: { ...realSurroundings, clock: { ...systemClock, date: () => systemClock.date() + shiftMs } },
    },
  )
})

afterAll(async () => {
  await gateway.close()
  await node.close()
  await rm(folder, { recursive: true, force: true })
})

type Headers = Record<string, string>

const settings = { code: -32002, message: 'rejected due to project ID settings' }
const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` })

const ask = (name: string, body: string, headers: Headers = {}) =>
  send(gateway.rpc, `/v3/${keyOf(name)}`, { body, headers })

/** The answer to one call over HTTP: its status and what it tells. */
async function askOne(name: string, method = 'eth_chainId', params: unknown = [], headers: Headers = {}) {
  const answer = await ask(name, frame(method, params, 'a'), headers)
  return { status: answer.status, reported: reportedBy(answer) }
}

const denied = { status: 403, reported: { jsonrpc: '2.0', id: 'a', error: settings } }
const passed = { status: 200, reported: { jsonrpc: '2.0', id: 'a', result: '0x1' } }

/** The status of a gas request. */
const askGas = async (name: string, headers: Headers = {}) =>
  send(gateway.rpc, `/v3/${keyOf(name)}/networks/1/suggestedGasFees`, { headers })

/** The status of an IPFS call. */
const askIpfs = async (name: string, headers: Headers = {}) =>
  send(gateway.ipfs!, '/api/v0/pin/ls', {
    body: '',
    headers: { Authorization: basic(keyOf(name), secret), ...headers },
  })

/** The HTTP answer to an upgrade that is refused. */
const refusedUpgrade = (name: string, headers: readonly string[] = []) =>
  exchange(gateway.rpc, upgrade(`/ws/v3/${keyOf(name)}`, headers))

describe('the rule of methods', () => {
  it('denies a call with its id, over HTTP', async () => {
    expect(await askOne('methods', 'eth_gasPrice')).toEqual(denied)
    expect(await askOne('methods')).toEqual(passed)
  })

  it('denies each call of a batch for itself', async () => {
    const body = `[${frame('eth_chainId', [], 1)},${frame('eth_gasPrice', [], 2)},${frame('eth_getCode', [other], 3)}]`
    const answer = await ask('methods', body)
    expect(answer.status).toBe(200)
    expect(reportedBy(answer)).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x1' },
      { jsonrpc: '2.0', id: 2, error: settings },
      { jsonrpc: '2.0', id: 3, error: settings },
    ])
  })

  it('denies a call over WebSocket, and the connection stays', async () => {
    const socket = await openSocket(`${gateway.ws}/ws/v3/${keyOf('methods')}`)
    socket.send(frame('eth_gasPrice', [], 1))
    expect(await socket.nextUntraced()).toEqual({ jsonrpc: '2.0', id: 1, error: settings })
    socket.send(frame('eth_chainId', [], 2))
    expect(await socket.next()).toMatchObject({ result: '0x1' })
    await socket.close()
  })

  it('lets no denied call reach a node', async () => {
    const before = node.calls.length
    await askOne('methods', 'eth_blobBaseFee')
    expect(node.calls.slice(before)).toEqual([])
  })
})

describe('the rule of addresses', () => {
  it('passes a call of a listed contract, as it came, and denies others and open ones', async () => {
    const passing = await ask('addresses', frame('eth_call', [{ to: listed.toLowerCase() }, 'latest']))
    expect(passing.status).toBe(200)
    for (const params of [[{ to: other }], [{ data: '0x00' }]]) {
      const { status, body } = await ask('addresses', frame('eth_call', params, 'a'))
      expect([status, JSON.parse(body)]).toEqual([403, { jsonrpc: '2.0', id: 'a', error: settings }])
    }
  })

  it('denies what nodes may read in two ways', async () => {
    const before = node.calls.length
    for (const object of [`{"to":"${listed}","to":"${other}"}`, `{"to":"${listed}","To":"${other}"}`]) {
      const { status } = await ask('addresses', `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${object}]}`)
      expect(status).toBe(403)
    }
    expect(node.calls.slice(before)).toEqual([])
  })

  it('denies calls that run code or storage of their own at a listed contract, over HTTP, in a batch and over WebSocket', async () => {
    const before = node.calls.length
    const call = { to: listed }
    const frames = [{ code: '0x00' }, { state: {} }, { stateDiff: {} }, { movePrecompileToAddress: other }].flatMap(
      (override, i) => {
        const overrides = { [listed]: override }
        return [
          frame('eth_call', [call, 'latest', overrides], 10 * i),
          frame('eth_estimateGas', [call, 'latest', overrides], 10 * i + 1),
          frame('eth_createAccessList', [call, 'latest', overrides], 10 * i + 2),
          frame('eth_simulateV1', [{ blockStateCalls: [{ stateOverrides: overrides, calls: [call] }] }], 10 * i + 3),
          frame('debug_traceCall', [call, 'latest', { stateOverrides: overrides }], 10 * i + 4),
          frame('trace_call', [call, ['trace'], 'latest', overrides], 10 * i + 5),
          frame('trace_callMany', [[[call, ['trace']]], 'latest', { stateOverrides: overrides }], 10 * i + 6),
        ]
      },
    )
    for (const body of frames) expect((await ask('addresses', body)).status, body).toBe(403)
    const { body: batch } = await ask('addresses', `[${frames.join(',')}]`)
    expect(JSON.parse(batch)).toMatchObject(frames.map(() => ({ error: settings })))
    const socket = await openSocket(`${gateway.ws}/ws/v3/${keyOf('addresses')}`)
    for (const body of frames) {
      socket.send(body)
      expect(await socket.next()).toMatchObject({ error: settings })
    }
    await socket.close()
    expect(node.calls.slice(before)).toEqual([])
  })

  it('denies by element in a batch and over WebSocket', async () => {
    const calls = [frame('eth_getBalance', [other], 1), frame('eth_getBalance', [listed], 2)]
    const answer = await ask('addresses', `[${calls.join(',')}]`)
    expect(reportedBy(answer)).toEqual([
      { jsonrpc: '2.0', id: 1, error: settings },
      { jsonrpc: '2.0', id: 2, result: '0x1' },
    ])
    const socket = await openSocket(`${gateway.ws}/ws/v3/${keyOf('addresses')}`)
    socket.send(frame('eth_subscribe', ['logs', { address: other }], 3))
    expect(await socket.nextUntraced()).toEqual({ jsonrpc: '2.0', id: 3, error: settings })
    await socket.close()
  })
})

describe.each<[string, string, Headers, Headers]>([
  ['origins', 'the Origin', { Origin: page }, { Origin: 'https://evil.example' }],
  ['agents', 'the User-Agent', { 'User-Agent': 'MyWallet/2.1' }, { 'User-Agent': 'curl/8' }],
  ['sources', 'the address', { 'X-Forwarded-For': '198.51.100.7' }, { 'X-Forwarded-For': '192.0.2.7' }],
])('the rule of %s', (name, what, right, wrong) => {
  it(`judges ${what} over HTTP: a refusal has the id of its call`, async () => {
    expect(await askOne(name, 'eth_chainId', [], right)).toEqual(passed)
    expect(await askOne(name, 'eth_chainId', [], wrong)).toEqual(denied)
    expect(await askOne(name)).toEqual(denied)
  })

  it('denies each call of a batch', async () => {
    const answer = await ask(name, `[${frame('eth_chainId', [], 1)},${frame('eth_chainId', [], 2)}]`, wrong)
    expect(answer.status).toBe(200)
    expect(reportedBy(answer)).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, error: settings })))
  })

  it('refuses a WebSocket before its upgrade', async () => {
    const [header, value] = Object.entries(wrong)[0]!
    const refused = await refusedUpgrade(name, [`${header}: ${value}`])
    expect(refused).toMatch(/^HTTP\/1\.1 403 /)
    expect(refused).toContain(settings.message)
    const socket = await openSocket(`${gateway.ws}/ws/v3/${keyOf(name)}`, right)
    expect(await socket.close()).toBe(1005)
  })

  it('holds for the gas API', async () => {
    expect((await askGas(name, right)).status).toBe(200)
    const { status, body } = await askGas(name, wrong)
    expect([status, JSON.parse(body)]).toEqual([403, { statusCode: 403, message: settings.message }])
  })

  it('holds for the IPFS API', async () => {
    expect((await askIpfs(name, right)).status).toBe(200)
    expect(await askIpfs(name, wrong)).toMatchObject({ status: 403, body: `${settings.message}\n` })
  })
})

describe('the networks of a project', () => {
  it('are told by name in every API', async () => {
    const error = { code: -32002, message: 'project ID does not have access to mainnet' }
    expect(await askOne('networks')).toEqual({ status: 403, reported: { jsonrpc: '2.0', id: 'a', error } })
    const batch = await ask('networks', `[${frame('eth_chainId', [], 1)},${frame('eth_chainId', [], 2)}]`)
    expect([batch.status, reportedBy(batch)]).toEqual([200, [1, 2].map((id) => ({ jsonrpc: '2.0', id, error }))])
    expect(await refusedUpgrade('networks')).toContain(error.message)
    expect(await askGas('networks')).toMatchObject({ status: 403 })
  })
})

describe('a secret', () => {
  it('bypasses the rules where the project says so, and nowhere else', async () => {
    const headers = { Authorization: basic('', secret) }
    expect(await askOne('bypassed', 'eth_chainId')).toEqual(denied)
    expect((await askOne('bypassed', 'eth_gasPrice', [], headers)).status).toBe(200)
    expect(await askOne('methods', 'eth_gasPrice', [], headers)).toEqual(denied)
  })

  it('may be one of two, until it expires', async () => {
    const status = async (withKey: string, password: string) => {
      const headers = { Authorization: basic('', password) }
      return (await send(gateway.rpc, `/v3/${withKey}`, { body: frame('eth_chainId'), headers })).status
    }
    expect(await status('key-with-two-secrets', 'first-secret')).toBe(200)
    expect(await status('key-with-two-secrets', 'second-secret')).toBe(200)
    expect(await status('key-with-an-old-secret', 'old-secret')).toBe(401)
    expect(await status('key-with-an-old-secret', 'new-secret')).toBe(200)
  })
})

describe('a key', () => {
  it.each([
    ['kept as a hash is known', 'kept-as-a-hash-only', 200],
    ['that is disabled is told to be unknown', 'key-that-is-disabled', 401],
    ['that has expired is told to be unknown', 'key-that-has-expired', 401],
    ['that will expire is known', 'key-that-expires-soon', 200],
  ])('%s', async (_, withKey, status) => {
    const answer = await send(gateway.rpc, `/v3/${withKey}`, { body: frame('eth_chainId') })
    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.body).toBe('invalid project id\n')
  })

  it('may stand in X-Api-Key in the place of the path, in every API', async () => {
    const headers = { 'X-Api-Key': keyOf('open') }
    expect((await send(gateway.rpc, '/v3', { body: frame('eth_chainId'), headers })).status).toBe(200)
    expect((await send(gateway.rpc, '/mainnet/v3/', { body: frame('eth_chainId'), headers })).status).toBe(200)
    expect((await send(gateway.rpc, '/networks/1/suggestedGasFees', { headers })).status).toBe(200)
    expect((await askIpfs('open', { ...headers, Authorization: basic('', secret) })).status).toBe(200)
    const socket = await openSocket(`${gateway.ws}/ws/v3`, headers)
    expect(await socket.close()).toBe(1005)
  })

  it('in X-Api-Key must not differ from the one in the path', async () => {
    const headers = { 'X-Api-Key': keyOf('methods') }
    const message = 'expected one key: that of the path and each X-Api-Key differ'
    const answer = await ask('open', frame('eth_chainId'), headers)
    expect([answer.status, reportedBy(answer)]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: { code: -32600, message } },
    ])
    expect(await askGas('open', headers)).toMatchObject({ status: 400 })
    expect(await refusedUpgrade('open', [`X-Api-Key: ${key}`])).toMatch(/^HTTP\/1\.1 400 /)
  })

  it.each(['/v3', `/v3/${keyOf('open')}`, '/networks/1/suggestedGasFees'])(
    'in X-Api-Key passes the preflight of %s',
    async (path) => {
      const { status, headers } = await send(gateway.rpc, path, { method: 'OPTIONS', headers: { Origin: page } })
      expect([status, headers['access-control-allow-headers']]).toEqual([204, expect.stringContaining('X-Api-Key')])
    },
  )
})

describe('a JWT', () => {
  const claims = { aud: ['other', 'wayleave'] }

  it.each([rsa, ec])('signed with $alg is taken by every API', async (signer) => {
    const headers = bearer(signToken(signer, claims))
    expect(await askOne('tokens', 'eth_chainId', [], headers)).toEqual(passed)
    expect((await askGas('tokens', headers)).status).toBe(200)
    const socket = await openSocket(`${gateway.ws}/ws/v3/${keyOf('tokens')}`, headers)
    expect(await socket.close()).toBe(1005)
    expect((await askIpfs('tokens', { ...headers, 'X-Api-Key': keyOf('tokens') })).status).toBe(200)
    expect((await askIpfs('tokens', headers)).status).toBe(401)
  })

  it.each<[string, Headers]>([
    ['is missing', {}],
    ['is replaced by a secret', { Authorization: basic('', secret) }],
    ['has expired', bearer(signToken(rsa, { exp: 1_000 }))],
    ['is meant for others', bearer(signToken(rsa, { aud: 'shop' }))],
    ['is signed by another key', bearer(signToken(stranger))],
    ['has an end in milliseconds', bearer(signToken(rsa, { exp: inAnHour }))],
    ['has a start in milliseconds', bearer(signToken(rsa, { nbf: Date.now() }))],
    ['is none', bearer('x')],
  ])('that %s is refused where it is required', async (_, headers) => {
    const answer = await ask('tokens', frame('eth_chainId'), headers)
    expect([answer.status, answer.body]).toEqual([401, 'invalid JWT\n'])
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer /)
    expect(await askGas('tokens', headers)).toMatchObject({ status: 401 })
    expect(await askIpfs('tokens', { 'X-Api-Key': keyOf('tokens'), Authorization: 'Bearer x' })).toMatchObject({
      status: 401,
      body: 'invalid JWT\n',
    })
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    expect(await refusedUpgrade('tokens', lines)).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('has a minute of leeway for clocks that differ, or that of its project', async () => {
    const seconds = Math.floor(Date.now() / 1_000)
    for (const times of [{ exp: seconds - 5 }, { nbf: seconds + 30 }]) {
      const headers = bearer(signToken(ec, times))
      expect(await askOne('tokens', 'eth_chainId', [], headers)).toEqual(passed)
      expect((await ask('exact', frame('eth_chainId'), headers)).status).toBe(401)
    }
  })

  it("is for its project's audience, and its lists go before those of the project", async () => {
    const aud = 'shop'
    expect((await askOne('audience', 'eth_gasPrice')).status).toBe(403)
    const wide = bearer(signToken(ec, { aud, methods: ['eth_gasPrice'] }))
    expect((await askOne('audience', 'eth_gasPrice', [], wide)).status).toBe(200)
    expect(await askOne('audience', 'eth_chainId', [], wide)).toEqual(denied)
    expect((await ask('audience', frame('eth_chainId'), bearer(signToken(ec)))).status).toBe(401)
    const narrow = bearer(signToken(ec, { aud, addresses: [listed], methods: ['eth_getBalance'] }))
    expect(await askOne('audience', 'eth_getBalance', [other], narrow)).toEqual(denied)
  })
})

describe('what goes on after it was admitted', () => {
  it('ends with its key, secret or token: sockets with 1008, streams of gas with their end', async () => {
    const url = gateway.ws
    const exp = Math.floor(inAnHour / 1_000)
    const sockets = await Promise.all([
      openSocket(`${url}/ws/v3/key-that-expires-soon`),
      openSocket(`${url}/ws/v3/key-with-an-old-secret`, { Authorization: basic('', 'new-secret') }),
      openSocket(`${url}/ws/v3/${keyOf('tokens')}`, bearer(signToken(ec, { exp }))),
    ])
    const staying = await openSocket(`${url}/ws/v3/${keyOf('open')}`)
    const stream = rawConnection(gateway.rpc)
    const path = '/v3/key-that-expires-soon/networks/1/suggestedGasFees/stream'
    stream.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    await stream.saw(/data: /)
    shiftMs = 2 * 3_600_000
    try {
      await until(() => sockets.every(({ closed }) => closed !== undefined))
      expect(sockets.map(({ closed }) => closed!.code)).toEqual([1008, 1008, 1008])
      await stream.whole()
      expect(staying.closed).toBeUndefined()
      await expect(openSocket(`${url}/ws/v3/key-that-expires-soon`)).rejects.toThrow('401')
    } finally {
      shiftMs = 0
    }
    await staying.close()
  })
})

describe('a denial', () => {
  it('is counted by its list, and told to the log alone', async () => {
    await askOne('methods', 'eth_gasPrice')
    await askOne('addresses', 'eth_getBalance', [other])
    for (const name of ['origins', 'origins', 'origins', 'origins', 'agents', 'sources', 'networks']) await askOne(name)
    const metrics = (await send(gateway.admin, '/metrics')).body
    for (const reason of ['method', 'address', 'origin', 'user_agent', 'source', 'network']) {
      expect(metrics).toMatch(new RegExp(`wayleave_denials_total\\{reason="${reason}"\\} [1-9]`))
    }
    const lines = written
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines).toContainEqual(
      expect.objectContaining({ project: 'methods', network: 'mainnet', reason: 'method', method: 'eth_gasPrice' }),
    )
    expect(lines.filter(({ project: of, reason }) => of === 'origins' && reason === 'origin').length).toBeLessThan(4)
  })
})
