// Credentials in every way that they are given: which of them count, and that none of them is repeated anywhere.
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { type Config, createLog, inspectConfig, printProblem, type RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  exchange,
  frame,
  masked,
  post,
  rawConnection,
  refusedUrl,
  secretRequired,
  send,
  startTestGateway,
} from './support.ts'
import { createTokenSigner, signToken } from './tokens.ts'
import { openSocket, upgrade } from './web-socket-client.ts'

const key = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEYK1'
const closedKey = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEYK2'
const hashedKey = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEYK3'
const secret = 'SECRETSECRETSECRETSECRETSECRETS1'
const wrongSecret = 'SECRETSECRETSECRETSECRETSECRETS2'
const strangersKey = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEYK4'
const adminToken = 'ADMINADMINADMINADMINADMINADMINA1'
const scopedToken = 'ADMINADMINADMINADMINADMINADMINA2'
const upstreamPassword = 'UPSTREAMUPSTREAMUPSTREAM'
const webhookSecret = `whsec_${Buffer.from('WEBHOOKWEBHOOKWEBHOOKWEB').toString('base64')}`
const signer = createTokenSigner('ES256', 'ec-1')
const token = signToken(signer)
const strangersToken = signToken(createTokenSigner('ES256', 'ec-1'))
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

let gateway: RunningGateway
let config: Partial<Config>
let folder: string
let written = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-credentials-'))
  const node = (await refusedUrl()).replace('http://', `http://user:${upstreamPassword}@`)
  config = {
    networks: {
      mainnet: { kind: 'evm', chainId: 1, upstreams: [`${node}/${upstreamPassword}`], gas: { blocksOnDemand: true } },
    },
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    admin: { token: adminToken, tokens: [{ name: 'scoped', tokenHash: hashOf(scopedToken), scopes: ['usage'] }] },
    webhook: { url: 'https://hooks.example', secret: webhookSecret },
    projects: [
      { name: 'open', keys: [{ key, secret }], jwt: { keys: [signer.entry] }, rules: { methods: ['eth_chainId'] } },
      { name: 'closed', requireSecret: true, keys: [{ key: closedKey, secret }] },
      { name: 'hashed', keys: [{ keyHash: hashOf(hashedKey), secrets: [{ secretHash: hashOf(secret) }] }] },
    ],
  }
  gateway = await startTestGateway([], config, {
    log: createLog({ level: 'debug', destination: { write: (line) => void (written += line) } }),
  })
})
afterAll(async () => {
  await gateway.close(0)
  await rm(folder, { recursive: true, force: true })
})

const body = frame('eth_chainId', [], 'a')
/** The head of the answer to an upgrade, and what comes with it. */
async function upgradeOf(path: string, headers: Record<string, string>): Promise<string> {
  const connection = rawConnection(gateway.rpc)
  const lines = Object.entries(headers).map((pair) => pair.join(': '))
  connection.send(upgrade(path, lines))
  const text = await connection.saw(/\r\n\r\n/)
  connection.socket.destroy()
  return text
}
const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])

describe('HTTP Basic (RFC 7617)', () => {
  it('without the required secret is refused with the form that every client sends', async () => {
    const answer = await send(gateway.rpc, `/v3/${closedKey}`, { body })
    expect([answer.status, JSON.parse(answer.body).error.message]).toEqual([403, secretRequired])
    expect(secretRequired).toContain('https://KEY:SECRET@host/v3/KEY')
  })

  // The node is down: whoever is admitted gets 502.
  it.each<[what: string, authorization: string, status: number]>([
    ['the key as user, as from KEY:SECRET@', basic(closedKey, secret), 502],
    ['an empty user, as from :SECRET@', basic('', secret), 502],
    ['the scheme in lower case', basic(closedKey, secret).replace('Basic', 'basic'), 502],
    ['the scheme in upper case', basic(closedKey, secret).replace('Basic', 'BASIC'), 502],
    ['another key as user', basic(key, secret), 401],
    ['an empty password', basic(closedKey, ''), 401],
    ['neither', basic('', ''), 401],
    ['a colon behind the secret', basic(closedKey, `${secret}:`), 401],
    ['bad base64', 'Basic a*b=', 401],
    ['no colon', `Basic ${Buffer.from(secret).toString('base64')}`, 401],
    ['Latin-1', `Basic ${Buffer.from(`:${secret}£`, 'latin1').toString('base64')}`, 401],
  ])('%s', async (_what, authorization, status) => {
    expect((await send(gateway.rpc, `/v3/${closedKey}`, { body, headers: { authorization } })).status).toBe(status)
  })

  const right = `Authorization: ${basic('', secret)}`
  const wrong = `Authorization: ${basic('', wrongSecret)}`
  const head = ['Host: 127.0.0.1', 'Connection: close']

  it.each([
    [[right, wrong], 400],
    [[wrong, right], 400],
    [[right, `authorization: Bearer ${token}`], 400],
    [[right, right], 502],
  ])('several headers are refused where they differ, in every API (%#)', async (lines, status) => {
    const rpc = await exchange(gateway.rpc, post(`/v3/${closedKey}`, body, [...head, ...lines]))
    expect(statusOf(rpc)).toBe(status)
    if (status !== 400) return
    expect(masked(rpc)).toContain('expected one Authorization header, got several that differ')
    expect(statusOf(await exchange(gateway.rpc, upgrade(`/ws/v3/${closedKey}`, lines)))).toBe(400)
    const lined = (path: string, method: string) =>
      [`${method} ${path} HTTP/1.1`, ...head, ...lines, 'Content-Length: 0', '', ''].join('\r\n')
    expect(statusOf(await exchange(gateway.rpc, lined('/networks/1/suggestedGasFees', 'GET')))).toBe(400)
    expect(statusOf(await exchange(gateway.ipfs!, lined('/api/v0/pin/ls', 'POST')))).toBe(400)
  })
})

describe('no key, secret or token', () => {
  const words = [
    key,
    closedKey,
    hashedKey,
    strangersKey,
    secret,
    wrongSecret,
    adminToken,
    scopedToken,
    upstreamPassword,
    webhookSecret,
    token,
    strangersToken,
  ]
  const forbidden = [
    ...words,
    ...words.map((word) => createHash('sha256').update(word).digest('hex')),
    ...words.map((word) => Buffer.from(word).toString('base64').replace(/=+$/, '').slice(0, -1)),
    ...[key, closedKey, ''].flatMap((user) =>
      [secret, wrongSecret].map((word) => basic(user, word).slice('Basic '.length)),
    ),
    // The signature of a token.
    ...[token, strangersToken].map((text) => text.split('.')[2]!),
  ]
  const found = (text: string): readonly string[] => forbidden.filter((word) => text.includes(word))

  const credentials: readonly Record<string, string>[] = [
    {},
    { Authorization: basic('', secret) },
    { Authorization: basic(closedKey, wrongSecret) },
    { Authorization: basic(key, wrongSecret) },
    { Authorization: `Basic ${wrongSecret}` },
    { Authorization: `Bearer ${token}` },
    { Authorization: `Bearer ${strangersToken}` },
    { Authorization: `Bearer ${adminToken}` },
    { Authorization: `Token ${secret}` },
    { 'X-Api-Key': strangersKey },
    { 'X-Api-Key': key, Authorization: basic(key, secret) },
    { 'Sec-WebSocket-Protocol': `wayleave, ${secret}, ${token}` },
    { Cookie: `key=${key}; secret=${secret}` },
    { 'X-Wayleave-Consistency': 'pinned', 'X-Forwarded-For': secret },
  ]
  const query = `?apiKey=${key}&secret=${secret}&token=${token}&access_token=${adminToken}`

  it('is repeated by any answer, however it was given', async () => {
    const answers: string[] = []
    const note = (answer: object): void => void answers.push(JSON.stringify(answer))
    for (const headers of credentials) {
      for (const path of [key, closedKey, hashedKey, strangersKey, ''].map((text) => `/v3/${text}${query}`)) {
        note(await send(gateway.rpc, path, { body, headers }))
        note(await send(gateway.rpc, path, { body: frame('eth_gasPrice'), headers }))
        note(await send(gateway.rpc, `/ws${path}`, { headers }))
        answers.push(await upgradeOf(`/ws${path}`, headers))
      }
      note(await send(gateway.rpc, `/v3/${key}/networks/1/suggestedGasFees${query}`, { headers }))
      note(await send(gateway.rpc, `/networks/1/suggestedGasFees${query}`, { headers }))
      note(await send(gateway.ipfs!, `/api/v0/pin/ls${query}`, { body: '', headers }))
      for (const path of ['/status', '/metrics', '/admin/v1/projects', '/admin/v1/networks', '/upstreams/cordon']) {
        note(await send(gateway.admin, `${path}${query}`, { headers }))
        note(await send(gateway.admin, `${path}${query}`, { method: 'POST', headers }))
      }
    }
    expect(answers.filter((answer) => answer.includes('"status":401')).length).toBeGreaterThan(20)
    expect(answers.flatMap(found)).toEqual([])
  })

  it('is told by a socket that takes them as protocols, nor by its end', async () => {
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}${query}`, { Authorization: basic('', secret) })
    socket.send(body)
    expect(found(JSON.stringify(await socket.next()))).toEqual([])
    socket.socket.terminate()
  })

  it('stands in the log, in /status, in /metrics or in what the admin API lists', async () => {
    const texts = [written]
    for (const path of [
      '/status',
      '/metrics',
      '/admin/v1/projects',
      '/admin/v1/projects/open/keys',
      '/admin/v1/audit',
    ]) {
      const answer = await send(gateway.admin, path, { headers: { authorization: `Bearer ${adminToken}` } })
      expect([path, answer.status]).toEqual([path, 200])
      texts.push(answer.body)
    }
    expect(written).toContain('"level"')
    expect(texts[2]).toContain('wayleave_admission_refusals_total{reason="wrong_secret"}')
    expect(texts.flatMap(found)).toEqual([])
  })

  it('stands in what a configuration is checked, summed up or refused with', async () => {
    const file = join(folder, 'wayleave.json')
    await writeFile(file, JSON.stringify(config))
    const right = await inspectConfig(file, {})
    expect(right.problems).toEqual([])
    // Each text in a place where none is expected.
    const misplaced = JSON.stringify({
      ...config,
      admin: { token: 5, tokens: [{ name: adminToken, tokenHash: scopedToken, scopes: ['all'] }] },
      projects: [
        {
          name: 'p',
          keys: [
            { key: `${key} ${secret}` },
            { keyHash: secret },
            { key, secrets: [{ secret: 5, secretHash: secret }] },
          ],
          requireSecret: secret,
        },
      ],
    })
    await writeFile(file, misplaced)
    const wrong = await inspectConfig(file, {})
    expect(wrong.problems.length).toBeGreaterThan(4)
    const printed = [right.summary, right.warnings, wrong.summary, wrong.warnings, wrong.problems]
    const texts = [
      ...printed.map((part) => inspect(part, { depth: 10 })),
      ...wrong.problems.map((problem) => printProblem(problem, file)),
    ]
    expect(texts.flatMap(found)).toEqual([])
  })
})
