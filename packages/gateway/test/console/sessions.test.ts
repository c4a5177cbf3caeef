import { createLog, realSurroundings } from '@wayleave/gateway'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { sha256Hex } from '@wayleave/auth'
import { describe, expect, it } from 'vitest'
import { createOperators } from '../../src/console/operators.ts'
import { send } from '../support.ts'
import { files, hashOf, readerToken, sessionOf, startConsole, token } from './support.ts'

const json = { 'content-type': 'application/json' }
const bearer = (text: string): Record<string, string> => ({ authorization: `Bearer ${text}` })

/** Everything that a session opens, with the scopes of which one is needed beside `all`. */
const doors = [
  ['GET', '/status', 200],
  ['GET', '/metrics', 200],
  ['GET', '/explain', 200],
  ['POST', '/reload', 404],
  ['POST', '/upstreams/cordon', 400],
  ['POST', '/upstreams/uncordon', 400],
  ['GET', '/admin/v1/projects', 200],
  ['GET', '/admin/v1/traffic', 200],
  ['GET', '/admin/v1/processes', 200],
  ['GET', '/admin/v1/openapi.json', 200],
] as const

describe('a session', () => {
  it('opens all that its token does, and is told in full to its page', async () => {
    const { ask, signIn, gateway } = await startConsole({ token }, { about: { version: '1.2.3' } })
    expect(JSON.parse((await ask('/console/session')).body)).toEqual({ open: false, signedIn: false, version: '1.2.3' })
    const headers = await signIn()
    for (const [method, path, status] of doors) {
      expect([path, (await ask(path, { method })).status]).toEqual([path, 401])
      expect([path, (await ask(path, { method, headers })).status]).toEqual([path, status])
      expect([path, (await ask(path, { method, headers: bearer(token) })).status]).toEqual([path, status])
    }
    const reported = await ask('/console/session', { headers })
    expect(reported.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' })
    expect(JSON.parse(reported.body)).toEqual({
      open: false,
      signedIn: true,
      name: 'admin.token',
      scopes: ['all'],
      version: '1.2.3',
      process: expect.stringMatching(/:\d+$/),
      rpc: gateway.rpc,
      networks: [{ name: 'mainnet', kind: 'evm', chainId: 1 }],
      apis: { ipfs: false, gas: true, replay: false },
    })
  })

  it('tells of replays where the gateway can read its configuration again', async () => {
    const { ask, signIn } = await startConsole({ token }, { readConfig: async () => ({ problems: [] }) })
    const { body } = await ask('/console/session', { headers: await signIn() })
    expect(JSON.parse(body).apis).toEqual({ ipfs: false, gas: true, replay: true })
  })

  it('writes the name of its token in the audit log', async () => {
    const { ask, signIn } = await startConsole()
    const headers = await signIn()
    const body = JSON.stringify({ id: 'shop', name: 'Shop' })
    const made = await ask('/admin/v1/projects', { method: 'POST', headers: { ...headers, ...json }, body })
    expect(made.status).toBe(201)
    const { items } = JSON.parse((await ask('/admin/v1/audit', { headers })).body)
    expect(items[0]).toMatchObject({ actor: 'admin.token', action: 'project.create' })
  })

  it('has the scopes of its token, and no more', async () => {
    const tokens = [{ name: 'reader', tokenHash: hashOf(readerToken), scopes: ['read'] as const }]
    const { ask, signIn } = await startConsole({ token, tokens })
    const headers = await signIn(readerToken)
    for (const [method, path] of doors) {
      const isAllowed = method === 'GET'
      expect([path, (await ask(path, { method, headers })).status === 403]).toEqual([path, !isAllowed])
    }
    const body = JSON.stringify({ id: 'shop', name: 'Shop' })
    const { status } = await ask('/admin/v1/projects', { method: 'POST', headers: { ...headers, ...json }, body })
    expect(status).toBe(403)
    expect(JSON.parse((await ask('/console/session', { headers })).body)).toMatchObject({
      name: 'reader',
      scopes: ['read'],
    })
  })

  it('needs both of its secrets: a cookie that was stolen or leaked opens nothing, nor does the header alone', async () => {
    const { ask, signIn } = await startConsole()
    const { cookie = '', 'x-wayleave-console': csrf = '' } = await signIn()
    const other = await signIn()
    for (const headers of [
      { cookie },
      { 'x-wayleave-console': csrf },
      { cookie, 'x-wayleave-console': 'open' },
      { cookie, 'x-wayleave-console': '' },
      { cookie, 'x-wayleave-console': '0'.repeat(64) },
      { cookie, 'x-wayleave-console': csrf.toUpperCase() },
      { cookie, 'x-wayleave-console': `${csrf}, ${csrf}` },
      { cookie, 'x-wayleave-console': other['x-wayleave-console']! },
      { cookie: cookie.replace(/=.*/, `=${csrf}`), 'x-wayleave-console': csrf },
      { cookie: cookie.replace(/^.*=/, 'wayleave-1='), 'x-wayleave-console': csrf },
      { cookie, 'x-wayleave-console': csrf, authorization: 'Bearer a-wrong-token-of-somebody' },
    ]) {
      for (const [method, path] of doors) {
        expect([headers, path, (await ask(path, { method, headers })).status]).toEqual([headers, path, 401])
      }
      expect(JSON.parse((await ask('/console/session', { headers })).body)).toMatchObject({ signedIn: false })
    }
  })

  it('is of no use to a page from elsewhere, which has both secrets by some accident', async () => {
    const { ask, signIn, gateway, host } = await startConsole()
    const headers = await signIn()
    const { port } = new URL(gateway.admin)
    for (const [further, refusal] of [
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      // Another program of this machine.
      [{ origin: 'http://127.0.0.1:1' }, 401],
      [{ origin: `http://localhost:${port}` }, 401],
      [{ 'sec-fetch-site': 'cross-site' }, 401],
      [{ 'sec-fetch-site': 'same-site' }, 401],
      [{ host: 'evil.example' }, 403],
      [{ host: `localhost:${port}`, origin: `http://${host}` }, 401],
    ] as const) {
      const { status } = await ask('/admin/v1/projects', { headers: { ...headers, ...further } })
      expect([further, status]).toEqual([further, refusal])
    }
    const own = { ...headers, origin: gateway.admin, 'sec-fetch-site': 'same-origin' }
    expect((await ask('/admin/v1/projects', { headers: own })).status).toBe(200)
  })

  it('ends when its page signs out, which no other page can bring about', async () => {
    const { ask, signIn, gateway } = await startConsole()
    const headers = await signIn()
    const isOpen = async () => (await ask('/admin/v1/projects', { headers })).status === 200
    const out = (given: Record<string, string>) => ask('/console/session', { method: 'DELETE', headers: given })
    await out({ cookie: headers['cookie']! })
    await out({ ...headers, origin: 'http://127.0.0.1:1' })
    await out({ ...headers, 'sec-fetch-site': 'cross-site' })
    expect(await isOpen()).toBe(true)
    const { status, body, headers: reported } = await out({ ...headers, origin: gateway.admin })
    expect([status, body]).toEqual([204, ''])
    expect(reported['set-cookie']).toEqual([expect.stringMatching(/^wayleave-\d+=; .*Max-Age=0/)])
    expect(await isOpen()).toBe(false)
  })

  it('ends with a reload that drops its token, also if that comes back, and stays with one that keeps it', async () => {
    const tokens = [{ name: 'ops', tokenHash: hashOf(readerToken), scopes: ['all'] as const }]
    const { ask, signIn, reload } = await startConsole({ token, tokens })
    const [first, second] = [await signIn(), await signIn(readerToken)]
    const asked = async () => [
      (await ask('/admin/v1/projects', { headers: first })).status,
      (await ask('/admin/v1/projects', { headers: second })).status,
    ]
    await reload({ token, tokens: [{ ...tokens[0]!, scopes: ['usage'] }] })
    expect(await asked()).toEqual([200, 403])
    await reload({ token: 'another-admin-token-of-the-tests', tokens })
    expect(await asked()).toEqual([401, 200])
    await reload({ token })
    await reload({ token, tokens })
    expect(await asked()).toEqual([401, 401])
  })
})

describe('the life of a session', () => {
  const of = ({ id, csrf }: { id: string; csrf: string }) => ({
    headers: { host: 'a:1', cookie: `other=1; wayleave-1=${id}`, 'x-wayleave-console': csrf },
  })

  function begin(expiresAt?: number) {
    const clock = new FakeClock()
    const { newSecret } = realSurroundings
    const operators = createOperators({ sha256: sha256Hex, newSecret, clock })
    operators.adopt([{ name: 'ops', tokenHash: sha256Hex(token), scopes: ['all'], expiresAt }])
    const open = () => {
      const signed = operators.signIn(token, '192.0.2.1')
      if (!('secrets' in signed)) throw new Error(signed.refused)
      return of(signed.secrets)
    }
    return { clock, operators, open }
  }

  it('is twelve hours, or two without a request', () => {
    const { clock, operators, open } = begin()
    const [busy, idle] = [open(), open()]
    for (let minutes = 0; minutes < 12 * 60 - 1; minutes += 60) {
      expect(operators.of(busy)).toMatchObject({ name: 'ops' })
      clock.advance(3_600_000 - 1)
    }
    expect(operators.of(idle)).toBeUndefined()
    expect(operators.of(busy)).toMatchObject({ name: 'ops' })
    clock.advance(12)
    expect(operators.of(busy)).toBeUndefined()
    const late = open()
    clock.advance(7_200_000)
    expect(operators.of(late)).toBeUndefined()
  })

  it('ends with that of its token', () => {
    const clock = new FakeClock()
    const { operators, open, clock: own } = begin(clock.date() + 1_000)
    const session = open()
    own.advance(999)
    expect(operators.of(session)).toMatchObject({ name: 'ops' })
    own.advance(1)
    expect(operators.of(session)).toBeUndefined()
    expect(operators.signIn(token, '192.0.2.1')).toEqual({ refused: 'wrong' })
  })

  it('ends early where a hundred others were opened after it', () => {
    const { operators, open } = begin()
    const sessions = Array.from({ length: 101 }, open)
    expect(operators.of(sessions[0]!)).toBeUndefined()
    expect(sessions.slice(1).every((each) => operators.of(each) !== undefined)).toBe(true)
  })
})

describe('a sign-in', () => {
  it('gives a cookie that no script reads and no other site sends, with a name of its port', async () => {
    const { ask, gateway } = await startConsole()
    const { port } = new URL(gateway.admin)
    const body = JSON.stringify({ token })
    const answer = await ask('/console/session', {
      method: 'POST',
      headers: { ...json, origin: gateway.admin, 'sec-fetch-site': 'same-origin' },
      body,
    })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(
        new RegExp(`^wayleave-${port}=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200$`),
      ),
    ])
    expect(JSON.parse(answer.body)).toMatchObject({ signedIn: true, csrf: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(sessionOf(answer)['cookie']).not.toContain(JSON.parse(answer.body).csrf)
  })

  it('behind a proxy that speaks TLS gives a cookie for TLS alone', async () => {
    const { ask } = await startConsole({ token, hosts: ['ops.example'] })
    const headers = { ...json, host: 'ops.example', origin: 'https://ops.example' }
    const answer = await ask('/console/session', { method: 'POST', headers, body: JSON.stringify({ token }) })
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/^wayleave-80=.*; Secure$/)])
    const { status } = await ask('/admin/v1/projects', { headers: { ...sessionOf(answer), ...headers } })
    expect(status).toBe(200)
  })

  it('that a form of another page sends, or a request without the origin of this one, is refused', async () => {
    const { ask, gateway } = await startConsole()
    const own = gateway.admin
    const form = 'application/x-www-form-urlencoded'
    const body = JSON.stringify({ token })
    for (const [headers, status] of [
      [{ ...json, origin: 'https://evil.example' }, 403],
      [{ ...json, origin: 'http://localhost:1' }, 403],
      [{ ...json, origin: 'null' }, 403],
      [{ ...json }, 403],
      [{ ...json, origin: own, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...json, origin: own, host: 'evil.example' }, 403],
      [{ 'content-type': 'text/plain', origin: own }, 415],
      [{ 'content-type': form, origin: own }, 415],
      [{ 'content-type': 'multipart/form-data; boundary=application/json', origin: own }, 415],
      [{ origin: own }, 415],
    ] as [Record<string, string>, number][]) {
      const answer = await ask('/console/session', { method: 'POST', headers, body })
      expect([headers, answer.status, answer.headers['set-cookie']]).toEqual([headers, status, undefined])
    }
  })

  it.each([
    ['{', 415],
    ['null', 415],
    ['{"token":1}', 415],
    ['{"token":""}', 401],
    [JSON.stringify({ token: `${token} ` }), 401],
    [JSON.stringify({ token: token.toUpperCase() }), 401],
    [JSON.stringify({ token: 'x'.repeat(2_000) }), 401],
    [JSON.stringify({ token: 'x'.repeat(5_000) }), 413],
  ])('with %s is refused, and repeats nothing of it', async (body, status) => {
    const { ask, gateway } = await startConsole()
    const headers = { ...json, origin: gateway.admin }
    const answer = await ask('/console/session', { method: 'POST', headers, body })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined])
    expect(answer.body).not.toMatch(/xxx|an-admin-token/i)
  })

  it('is stopped after ten guesses of a thousand, while an operator at another address signs in', async () => {
    const { gateway } = await startConsole({ token }, {}, { trustedProxies: ['127.0.0.1'] })
    const from = (address: string, given: string) =>
      send(gateway.admin, '/console/session', {
        headers: { ...json, origin: gateway.admin, 'x-forwarded-for': address },
        body: JSON.stringify({ token: given }),
      })
    const statuses = new Map<number, number>()
    let honest = 0
    for (let i = 0; i < 1_000; i += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => from('192.0.2.66', `a-guess-${i + n}`)))
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if ((await from('198.51.100.7', token)).status === 200) honest++
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 10, 429: 990 })
    expect(honest).toBe(20)
    const right = await from('192.0.2.66', token)
    expect([right.status, right.headers['set-cookie']]).toEqual([429, undefined])
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(right.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  it('from ever new addresses is stopped after sixty wrong ones in all; who is signed in stays so', async () => {
    const { gateway, ask, signIn } = await startConsole({ token }, {}, { trustedProxies: ['127.0.0.1'] })
    const headers = await signIn()
    const statuses: number[] = []
    for (let i = 0; i < 100; i++) {
      const { status } = await ask('/console/session', {
        method: 'POST',
        headers: { ...json, origin: gateway.admin, 'x-forwarded-for': `192.0.2.${i}` },
        body: JSON.stringify({ token: `a-guess-${i}` }),
      })
      statuses.push(status)
    }
    expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([60, 429])
    expect((await ask('/admin/v1/projects', { headers })).status).toBe(200)
  })

  it('may be tried again once a minute has passed since the guesses', () => {
    const clock = new FakeClock()
    const { newSecret } = realSurroundings
    const operators = createOperators({ sha256: sha256Hex, newSecret, clock })
    operators.adopt([{ name: 'ops', tokenHash: sha256Hex(token), scopes: ['all'] }])
    const guess = (address: string, given = 'wrong') => operators.signIn(given, address)
    for (let i = 0; i < 10; i++) {
      expect(guess('a')).toEqual({ refused: 'wrong' })
      clock.advance(1_000)
    }
    expect(guess('a', token)).toEqual({ refused: 'too_many', waitMs: 50_000 })
    expect(guess('b', token)).toHaveProperty('secrets')
    clock.advance(50_000)
    expect(guess('a', token)).toHaveProperty('secrets')
    for (let i = 0; i < 51; i++) guess(`c${i}`)
    expect(guess('b', token)).toMatchObject({ refused: 'too_many' })
    clock.advance(60_000)
    expect(guess('b', token)).toHaveProperty('secrets')
  })
})

describe('an open console', () => {
  it('asks for no token, but for a header that pages from elsewhere cannot send', async () => {
    const { ask, gateway } = await startConsole('none', { console: { files, isOpen: true } })
    expect(JSON.parse((await ask('/console/session')).body)).toEqual({ open: true, signedIn: false, version: '' })
    const headers = { 'x-wayleave-console': 'open' }
    expect(JSON.parse((await ask('/console/session', { headers })).body)).toMatchObject({
      open: true,
      signedIn: true,
      name: 'console',
      scopes: ['all'],
      rpc: gateway.rpc,
    })
    const body = JSON.stringify({ id: 'shop', name: 'Shop' })
    const post = (given: Record<string, string>) =>
      ask('/admin/v1/projects', { method: 'POST', headers: { ...json, ...given }, body })
    for (const given of [
      {},
      { 'x-wayleave-console': 'OPEN' },
      { ...headers, origin: 'http://localhost:3000' },
      { ...headers, 'sec-fetch-site': 'same-site' },
      { ...headers, authorization: 'Bearer a-token-that-nobody-has' },
    ]) {
      expect([given, (await post(given)).status]).toEqual([given, 401])
    }
    expect((await post({ ...headers, origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ ...headers, host: 'evil.example' })).status).toBe(403)
    const preflight = await ask('/admin/v1/projects', {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:3000',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-wayleave-console',
      },
    })
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await post(headers)).status).toBe(201)
    const { items } = JSON.parse((await ask('/admin/v1/audit', { headers })).body)
    expect(items[0]).toMatchObject({ actor: 'console', action: 'project.create' })
  })

  it('leaves the rest as it is for whoever asks with curl', async () => {
    const { ask } = await startConsole('none', { console: { files, isOpen: true } })
    for (const path of ['/metrics', '/status', '/explain']) expect((await ask(path)).status).toBe(200)
    expect((await ask('/')).status).toBe(404)
  })

  it('is not open once a token is set', async () => {
    const console = { files, isOpen: true }
    const { ask, reload } = await startConsole('none', { console })
    await reload({ token })
    const headers = { 'x-wayleave-console': 'open' }
    expect((await ask('/admin/v1/projects', { headers })).status).toBe(401)
    expect(JSON.parse((await ask('/console/session', { headers })).body)).toMatchObject({
      open: false,
      signedIn: false,
    })
  })

  it('is refused beyond loopback', async () => {
    const console = { files, isOpen: true }
    const listen = { rpc: '127.0.0.1:0', admin: '0.0.0.0:0' }
    await expect(startConsole('none', { console }, { listen })).rejects.toThrow(/listen\.admin: .*loopback/)
  })
})

it('no line of the log holds a token, a secret of a session, or a guess', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line: string) => void lines.push(line) } })
  const { ask, signIn, gateway } = await startConsole({ token }, { log })
  const headers = await signIn()
  for (const body of [{ token: 'a-guess-of-somebody' }, { token: `${token}x` }]) {
    const given = { ...json, origin: gateway.admin }
    await ask('/console/session', { method: 'POST', headers: given, body: JSON.stringify(body) })
  }
  await ask('/admin/v1/projects', { headers })
  await ask('/console/session', { method: 'DELETE', headers })
  await gateway.close(0)
  await log.close()
  const text = lines.join('')
  expect(text).toContain('an operator signed in to the console')
  expect(text).toContain('a sign-in to the console was refused')
  const secrets = [token, 'a-guess-of-somebody', headers['cookie']!.split('=')[1]!, headers['x-wayleave-console']!]
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(sha256Hex(secret))
  }
})
