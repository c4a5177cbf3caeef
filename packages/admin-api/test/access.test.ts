import { type AdminApiOptions, type AdminScope, type AdminToken, createAdminApi } from '@wayleave/admin-api'
import { describe, expect, it } from 'vitest'
import { expiredToken, type Fixture, hash, openFixture, tokenOf } from './support/fixture.ts'

const scopes: readonly AdminScope[] = ['read', 'accounts', 'usage', 'networks', 'ipfs', 'all']

/** The scopes of each route, once more: a new route has to be added here, so that somebody thinks of who may ask it. */
const expected: Readonly<Record<string, readonly AdminScope[]>> = {
  'GET /openapi.json': scopes,
  'GET /projects': ['read', 'accounts', 'all'],
  'POST /projects': ['accounts', 'all'],
  'GET /projects/{project}': ['read', 'accounts', 'all'],
  'PATCH /projects/{project}': ['accounts', 'all'],
  'DELETE /projects/{project}': ['accounts', 'all'],
  'GET /projects/{project}/keys': ['read', 'accounts', 'all'],
  'POST /projects/{project}/keys': ['accounts', 'all'],
  'GET /projects/{project}/keys/{key}': ['read', 'accounts', 'all'],
  'PATCH /projects/{project}/keys/{key}': ['accounts', 'all'],
  'DELETE /projects/{project}/keys/{key}': ['accounts', 'all'],
  'POST /projects/{project}/keys/{key}/rotate': ['accounts', 'all'],
  'POST /projects/{project}/keys/{key}/secrets': ['accounts', 'all'],
  'DELETE /projects/{project}/keys/{key}/secrets/{secret}': ['accounts', 'all'],
  'POST /projects/{project}/jwt-keys': ['accounts', 'all'],
  'DELETE /projects/{project}/jwt-keys/{kid}': ['accounts', 'all'],
  'GET /plans': ['read', 'accounts', 'all'],
  'PUT /plans/{plan}': ['accounts', 'all'],
  'DELETE /plans/{plan}': ['accounts', 'all'],
  'GET /usage': ['read', 'usage', 'all'],
  'GET /audit': ['read', 'all'],
  'GET /networks': ['read', 'networks', 'all'],
  'PUT /networks/{network}/upstreams/{upstream}/cordon': ['networks', 'all'],
  'DELETE /networks/{network}/upstreams/{upstream}/cordon': ['networks', 'all'],
  'GET /gas': ['read', 'networks', 'all'],
  'GET /gas/{network}': ['read', 'networks', 'all'],
  'GET /streams': ['read', 'networks', 'all'],
  'GET /ipfs/{project}/pins': ['read', 'ipfs', 'all'],
  'GET /ipfs/verify': ['read', 'ipfs', 'all'],
  'POST /ipfs/verify': ['ipfs', 'all'],
  'GET /openrpc/{kind}': scopes,
  'GET /traffic': ['read', 'usage', 'all'],
  'GET /calls/live': ['read', 'all'],
  'GET /processes': ['read', 'all'],
  'POST /replay': ['all'],
  'POST /keys/import': ['accounts', 'all'],
  'POST /apply': ['accounts', 'all'],
}

/** All routes of the document, with `x` for each parameter. */
function routesOf({ api }: Fixture): readonly { readonly name: string; readonly ask: string }[] {
  return Object.entries(api.document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const name = `${method.toUpperCase()} ${path}`
      return { name, ask: name.replaceAll(/\{\w+\}/g, 'x') }
    }),
  )
}

describe('each route', () => {
  it('is in the table of scopes, and in the document with the same ones', async () => {
    await using fixture = await openFixture()
    expect(
      routesOf(fixture)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(Object.keys(expected).toSorted())
    for (const [path, methods] of Object.entries(fixture.api.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        const name = `${method.toUpperCase()} ${path}`
        const reported = operation['x-scopes'].length === 0 ? scopes : [...new Set([...operation['x-scopes'], 'all'])]
        expect([name, reported.toSorted()]).toEqual([name, expected[name]!.toSorted()])
      }
    }
  })

  it('refuses without a token, with a wrong one, and with one that has expired, before it looks at anything else', async () => {
    await using fixture = await openFixture()
    for (const { ask } of routesOf(fixture)) {
      for (const [headers, token] of [
        [{}, ''],
        [{}, 'wrong'],
        [{}, hash(tokenOf('all'))],
        [{}, `${tokenOf('all')} `],
        [{}, tokenOf('all').toUpperCase()],
        [{ authorization: `Basic ${btoa(`:${tokenOf('all')}`)}` }, ''],
        [{ authorization: tokenOf('all') }, ''],
        [{ authorization: 'Bearer ' }, ''],
        [{ authorization: `Bearer ${'x'.repeat(100_000)}` }, ''],
        [{}, expiredToken],
      ] as const) {
        const { status, headers: answered, body } = await fixture.ask(ask, { token, headers, raw: '{{{' })
        expect([ask, token, status]).toEqual([ask, token, 401])
        expect(answered['www-authenticate']).toBe('Bearer realm="admin"')
        expect(body.detail).toMatch(token === expiredToken ? /"expired" has expired/ : /required|unknown/)
      }
    }
  })

  it('refuses a token without its scope, names that, and does nothing', async () => {
    await using fixture = await openFixture()
    const { seq } = await fixture.stores.accounts.snapshot()
    for (const { name, ask } of routesOf(fixture)) {
      for (const scope of scopes) {
        // A body that no route takes: whoever may ask gets another refusal.
        const { status, body } = await fixture.ask(ask, { token: tokenOf(scope), raw: '{{{' })
        const isAllowed = expected[name]!.includes(scope)
        expect([name, scope, status === 403]).toEqual([name, scope, !isAllowed])
        if (!isAllowed) expect(body.detail).toContain(`needs the scope ${expected[name]![0]}`)
      }
    }
    expect((await fixture.stores.accounts.snapshot()).seq).toBe(seq)
  })
})

describe('an operator whom the host has judged', () => {
  const request = { method: 'GET', path: '/admin/v1/projects', headers: {} }

  it('needs no token, whatever one the request carries, and is the author of what he changes', async () => {
    await using fixture = await openFixture(undefined, { tokens: [] })
    const { api, stores } = fixture
    const as = { name: 'console', scopes: ['all'] as const }
    for (const headers of [
      {},
      { authorization: 'Bearer a-wrong-token' },
      { authorization: `Bearer ${expiredToken}` },
    ]) {
      expect((await api.handle({ ...request, headers, as })).status).toBe(200)
    }
    const body = new TextEncoder().encode('{"id":"shop","name":"Shop"}')
    const headers = { 'content-type': 'application/json' }
    expect((await api.handle({ ...request, method: 'POST', headers, body, as })).status).toBe(201)
    expect(await stores.accounts.audit({ limit: 1 })).toMatchObject([{ actor: 'console', action: 'project.create' }])
    expect((await api.handle(request)).status).toBe(401)
  })

  it('may do what his scopes say', async () => {
    await using fixture = await openFixture()
    const ask = (scope: AdminScope) => fixture.api.handle({ ...request, as: { name: 'some', scopes: [scope] } })
    expect((await ask('read')).status).toBe(200)
    const refused = await ask('usage')
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('needs the scope read or accounts')])
  })
})

describe('a stream of events', () => {
  it('comes with a head alone, and is not begun for HEAD', async () => {
    await using fixture = await openFixture()
    const request = { path: '/admin/v1/calls/live', headers: {}, as: { name: 'some', scopes: ['read'] as const } }
    const { status, headers, body, events } = await fixture.api.handle({ ...request, method: 'GET' })
    expect([status, headers['content-type'], body]).toEqual([200, 'text/event-stream', ''])
    expect(events).toBeTypeOf('function')
    expect(await fixture.api.handle({ ...request, method: 'HEAD' })).not.toHaveProperty('events')
  })

  it('is 503 where there is no room for another reader, and 404 where no calls are served', async () => {
    const ask = async (calls: AdminApiOptions['calls']) => {
      await using fixture = await openFixture(undefined, { calls })
      return fixture.ask('GET /calls/live')
    }
    const full = await ask({ live: () => undefined })
    expect([full.status, full.headers['retry-after']]).toEqual([503, '2'])
    expect((await ask(undefined)).status).toBe(404)
  })
})

describe('a token', () => {
  it('lets the case of the scheme vary', async () => {
    await using fixture = await openFixture()
    const headers = { authorization: `bEARER  ${tokenOf('read')}` }
    expect((await fixture.ask('GET /plans', { token: '', headers })).status).toBe(200)
  })

  it('is good until the millisecond it expires at', async () => {
    const token = {
      name: 'short',
      tokenHash: hash('short-lived'),
      scopes: ['read'],
      expiresAt: 1_700_000_000_010,
    } as const
    await using fixture = await openFixture(undefined, { tokens: [token] })
    fixture.clock.now = token.expiresAt - 1
    expect((await fixture.ask('GET /plans', { token: 'short-lived' })).status).toBe(200)
    fixture.clock.now = token.expiresAt
    expect((await fixture.ask('GET /plans', { token: 'short-lived' })).status).toBe(401)
  })

  it.each<readonly [string, Partial<AdminToken>]>([
    ['tokenHash', { tokenHash: 'the-token-itself' }],
    ['tokenHash', { tokenHash: hash('x').toUpperCase() }],
    ['name', { name: '' }],
    ['name', { name: 'two words' }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: ['root' as AdminScope] }],
    ['scopes', { scopes: ['toString' as AdminScope] }],
    ['expiresAt', { expiresAt: Number.NaN }],
  ])('with another %s than there may be is an error at the start, which repeats no text of it', (what, wrong) => {
    const token: AdminToken = { name: 'ops', tokenHash: hash('x'), scopes: ['read'], ...wrong }
    const create = (tokens: readonly AdminToken[]) => () =>
      createAdminApi({ tokens, accounts: undefined as never, usage: undefined as never })
    expect(create([token])).toThrow(new RegExp(`^tokens\\[0\\]: .*${what}`))
    expect(create([token])).not.toThrow(/the-token-itself/)
  })

  it('that is there twice, or has the name of another one, is an error at the start', () => {
    const token: AdminToken = { name: 'ops', tokenHash: hash('x'), scopes: ['read'] }
    for (const other of [
      { ...token, name: 'dev' },
      { ...token, tokenHash: hash('y') },
    ]) {
      const create = () =>
        createAdminApi({ tokens: [token, other], accounts: undefined as never, usage: undefined as never })
      expect(create).toThrow(/^tokens\[1\]: .*tokens\[0\] has the same/)
    }
  })
})
