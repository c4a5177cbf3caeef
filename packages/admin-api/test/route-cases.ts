import { describe, expect, it } from 'vitest'
import { configuredKey, hash, newPem, openFixture, pem } from './support/fixture.ts'
import { gasOfMainnet, replayOfMainnet } from './support/gateway-parts.ts'
import type { StoresOptions } from './support/stores.ts'

/** Tests of all routes that hold over either database. Each answer is held to the OpenAPI document, by the fixture. */
export function routeCases(fresh: () => Promise<StoresOptions>): void {
  describe('the routes', () => {
    it('do all that an operator does, and each is asked once here', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask, stores, clock } = fixture

      expect((await ask('GET /openapi.json')).body.openapi).toBe('3.1.0')
      const plan = await ask('PUT /plans/team', { body: { limits: { perSecond: { credits: 500 } } } })
      expect(plan.body).toEqual({
        id: 'team',
        name: 'team',
        limits: { perSecond: { credits: 500 } },
        source: 'store',
        createdAt: clock.now,
      })
      const made = await ask('POST /projects', { body: { id: 'shop', name: 'Shop', plan: 'team' } })
      expect(made.status).toBe(201)
      expect((await ask('POST /projects', { body: { name: 'No id' } })).body.id).toMatch(/^[0-9a-f]{16}$/)
      const rules = { methods: ['eth_call'], origins: ['https://*.example.com'], sources: ['10.0.0.0/8'] }
      const changed = await ask('PATCH /projects/shop', { body: { rules, networks: ['mainnet'], plan: null } })
      expect(changed.body).toMatchObject({ name: 'Shop', rules, networks: ['mainnet'], source: 'store' })
      expect(changed.body).not.toHaveProperty('plan')
      expect((await ask('GET /projects/shop')).body).toEqual(changed.body)
      expect((await ask('GET /projects')).body.items.map((project: { id: string }) => project.id)).toContain('shop')

      const key = (await ask('POST /projects/shop/keys', { body: { label: 'web', plan: 'team' } })).body
      expect(key.key).toMatch(/^wl_[0-9A-Za-z]{28}$/)
      expect(key).toMatchObject({ projectId: 'shop', label: 'web', hint: key.key.slice(-4), secrets: [], plan: 'team' })
      expect((await stores.accounts.key(key.id))?.digest).toBe(hash(key.key))
      await stores.accounts.touch([{ keyId: key.id, usedAt: 7 }])
      const { key: _, ...withoutText } = key
      expect((await ask(`GET /projects/shop/keys/${key.id}`)).body).toEqual({ ...withoutText, lastUsedAt: 7 })
      expect((await ask('GET /projects/shop/keys')).body).toEqual({ items: [{ ...withoutText, lastUsedAt: 7 }] })
      const limits = { perDay: { credits: 9 } }
      const patch = { limits, disabled: true, expiresAt: clock.now + 5, plan: null }
      const patched = await ask(`PATCH /projects/shop/keys/${key.id}`, { body: patch })
      expect(patched.body).toMatchObject({ limits, disabled: true, expiresAt: clock.now + 5 })
      await ask(`PATCH /projects/shop/keys/${key.id}`, { body: { disabled: false, expiresAt: null } })

      const secret = (await ask(`POST /projects/shop/keys/${key.id}/secrets`, { body: { label: 'first' } })).body
      expect(secret.secret).toMatch(/^wls_[0-9A-Za-z]{28}$/)
      const second = await ask(`POST /projects/shop/keys/${key.id}/secrets`)
      expect(second.status).toBe(201)
      expect((await ask(`POST /projects/shop/keys/${key.id}/secrets`)).status).toBe(409)
      expect((await ask(`DELETE /projects/shop/keys/${key.id}/secrets/${second.body.id}`)).status).toBe(204)

      const rotation = { overlapSeconds: 60, id: 'web-2' }
      const rotated = (await ask(`POST /projects/shop/keys/${key.id}/rotate`, { body: rotation })).body
      expect(rotated.old).toMatchObject({ id: key.id, expiresAt: clock.now + 60_000 })
      expect(rotated.created).toMatchObject({ id: 'web-2', label: 'web', limits, secrets: [{ id: secret.id }] })
      expect((await stores.accounts.key('web-2'))?.secrets[0]?.digest).toBe(hash(secret.secret))
      expect((await ask(`DELETE /projects/shop/keys/${key.id}`)).status).toBe(204)
      expect(await stores.accounts.key(key.id)).toBeUndefined()

      const jwt = (await ask('POST /projects/shop/jwt-keys', { body: { pem, label: 'ci' } })).body
      expect(jwt).toMatchObject({ alg: 'ES256', label: 'ci', pem })
      expect((await ask('GET /projects/shop')).body.jwtKeys).toEqual([jwt])
      expect((await ask(`DELETE /projects/shop/jwt-keys/${jwt.kid}`)).status).toBe(204)

      const list = [{ project: 'shop', key: 'a'.repeat(32), label: 'old' }]
      const imported = await ask('POST /keys/import', { body: list })
      expect(imported.body.items).toEqual([{ id: expect.any(String), projectId: 'shop', outcome: 'created' }])
      expect((await ask('POST /keys/import', { body: list })).body.items[0].outcome).toBe('exists')

      const row = { minute: Math.floor(clock.now / 60_000), project: 'shop', key: 'k', network: 'mainnet' }
      await stores.usage.add('p', 1, [{ ...row, method: 'eth_call', status: '2xx', calls: 3, credits: 240 }])
      const usage = await ask('GET /usage?by=method,status&project=shop&period=day')
      expect(usage.body.items).toEqual([{ method: 'eth_call', status: '2xx', calls: 3, credits: 240 }])
      expect((await ask('GET /usage')).body.items).toEqual([{ calls: 3, credits: 240 }])

      expect((await ask('PUT /networks/mainnet/upstreams/node-1/cordon', { body: { reason: 'disk' } })).status).toBe(
        204,
      )
      expect((await ask('GET /networks')).body.items[0].upstreams[0]).toMatchObject({ isUp: false, cordoned: 'disk' })
      expect((await ask('DELETE /networks/mainnet/upstreams/node-1/cordon')).status).toBe(204)
      expect((await ask('DELETE /networks/mainnet/upstreams/other/cordon')).status).toBe(404)

      expect((await ask('GET /gas')).body).toEqual({ items: [gasOfMainnet] })
      expect((await ask('GET /gas/mainnet')).body).toMatchObject({ ...gasOfMainnet, history: [{ baseFee: '1.4' }] })
      expect((await ask('GET /gas/other')).status).toBe(404)
      expect((await ask('GET /streams')).body.items[0].kinds).toEqual([{ kind: 'newHeads', subscribers: 4 }])
      expect((await ask('POST /replay')).body).toEqual(replayOfMainnet)
      expect((await ask('GET /openrpc/rollup')).body).toEqual({ openrpc: '1.3.2', info: { title: 'rollup' } })
      expect((await ask('GET /openrpc/bitcoin')).status).toBe(404)
      await stores.pins.put('shop', { cid: 'bafya', type: 'recursive', name: 'a <b>', bytes: 2n ** 40n })
      expect((await ask('GET /ipfs/shop/pins')).body).toEqual({
        items: [{ cid: 'bafya', type: 'recursive', name: 'a <b>', bytes: 2 ** 40 }],
      })

      expect((await ask('GET /ipfs/verify')).status).toBe(404)
      const begun = await ask('POST /ipfs/verify')
      expect([begun.status, begun.body]).toMatchObject([200, { state: 'running', blocks: 3, bad: 1 }])
      expect((await ask('GET /ipfs/verify')).body).toEqual(begun.body)

      const traffic = (await ask('GET /traffic')).body
      expect(traffic).toMatchObject({ step: 10_000, since: fixture.since, items: [{ calls: 3, p50: 1.5 }] })
      expect(traffic).toMatchObject({ p99: 7, open: { calls: 2, oldestMs: 31_000, network: 'mainnet' } })
      expect((await ask('GET /processes')).body.items).toEqual([
        { process: 'a:1', startedAt: fixture.since, version: '1.2.3', workers: 2 },
      ])
      const live = await ask('GET /calls/live?network=mainnet&minMs=5')
      expect([live.headers['content-type'], live.text]).toEqual(['text/event-stream', ''])
      expect(live.events).toBeTypeOf('function')
      expect(fixture.wanted).toEqual([{ network: 'mainnet', minMs: 5 }])

      const audit = (await ask('GET /audit?project=shop')).body.items
      expect(audit[0]).toMatchObject({ action: 'key.create', actor: 't-all', at: clock.now, project: 'shop' })

      const state = { plans: [], projects: [{ id: 'shop', keys: [] }], dryRun: true }
      const dry = (await ask('POST /apply', { body: state })).body
      const wet = (await ask('POST /apply', { body: { ...state, dryRun: false } })).body
      expect(wet).toEqual({ ...dry, dryRun: false })
      expect((await ask('GET /plans')).body.items.map(({ id }: { id: string }) => id)).toEqual(['fixed-plan'])

      await ask('PUT /plans/gone', { body: { limits: {} } })
      expect((await ask('DELETE /plans/gone')).status).toBe(204)
      expect((await ask('DELETE /projects/shop')).status).toBe(204)
      expect((await ask('GET /projects/shop')).status).toBe(404)

      const all = Object.entries(fixture.api.document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      expect([...fixture.covered].toSorted()).toEqual(all.toSorted())
      expect(fixture.failures).toEqual([])
    })

    it('page through lists whose order is that of the configuration, and then of the database', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask } = fixture
      // Databases sort these otherwise than code points do.
      const ids = ['B', 'a', 'C', 'b.1', 'b-2', '_x', 'Z:9']
      for (const id of ids) await ask('POST /projects', { body: { id, name: id } })
      for (const limit of [1, 2, 3, 8, 100]) {
        const seen: string[] = []
        let after = ''
        do {
          const { body } = await ask(`GET /projects?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`)
          expect(body.items.length).toBeLessThanOrEqual(limit)
          seen.push(...body.items.map(({ id }: { id: string }) => id))
          after = body.next ?? ''
        } while (after !== '')
        expect(seen[0]).toBe('fixed')
        expect(seen.toSorted()).toEqual(['fixed', ...ids].toSorted())
      }
      for (const [path, first] of [
        ['/audit', String(ids.length)],
        ['/plans', 'c:fixed-plan'],
      ] as const) {
        const { body } = await ask(`GET ${path}?limit=1`)
        expect(body.next).toBe(first)
        expect((await ask(`GET ${path}?limit=1&after=${first}`)).body.items.length).toBe(path === '/audit' ? 1 : 0)
      }
    })

    it('leave what the configuration has as it is, and let the store have none of it', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask, stores } = fixture
      await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
      expect((await ask('GET /projects/fixed')).body).toMatchObject({ source: 'config', name: 'Fixed' })
      expect((await ask('GET /projects/fixed/keys')).body.items).toMatchObject([{ id: 'fixed-key', source: 'config' }])
      expect((await ask('GET /projects/fixed/keys/fixed-key')).body.label).toBe('of the file')
      const { seq } = await stores.accounts.snapshot()
      const limits = {}
      for (const [what, body] of [
        ['POST /projects', { id: 'fixed', name: 'X' }],
        ['PATCH /projects/fixed', { name: 'X' }],
        ['DELETE /projects/fixed', undefined],
        ['POST /projects/fixed/keys', {}],
        ['POST /projects/shop/keys', { id: 'fixed-key' }],
        ['POST /projects/shop/keys', { key: configuredKey }],
        ['POST /projects/shop/keys', { keyHash: `sha256:${hash(configuredKey)}` }],
        ['PATCH /projects/fixed/keys/fixed-key', { label: 'X' }],
        ['DELETE /projects/fixed/keys/fixed-key', undefined],
        ['POST /projects/fixed/keys/fixed-key/rotate', {}],
        ['POST /projects/fixed/keys/fixed-key/secrets', {}],
        ['DELETE /projects/fixed/keys/fixed-key/secrets/s', undefined],
        ['POST /projects/fixed/jwt-keys', { pem }],
        ['DELETE /projects/fixed/jwt-keys/k', undefined],
        ['PUT /plans/fixed-plan', { limits }],
        ['DELETE /plans/fixed-plan', undefined],
        ['POST /keys/import', [{ project: 'shop', key: configuredKey }]],
        ['POST /keys/import', [{ project: 'fixed', key: 'e'.repeat(32) }]],
        ['POST /apply', { plans: [], projects: [{ id: 'fixed' }] }],
        ['POST /apply', { plans: [{ id: 'fixed-plan', limits }], projects: [] }],
        ['POST /apply', { plans: [], projects: [{ id: 'shop', keys: [{ id: 'k', key: configuredKey }] }] }],
      ] as const) {
        const { status, text } = await ask(what, { body })
        expect([what, status]).toEqual([what, 409])
        expect(text).toMatch(/configuration/)
      }
      expect((await stores.accounts.snapshot()).seq).toBe(seq)
    })

    it('let keys of elsewhere be kept, but no short ones', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask, stores } = fixture
      await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
      const old = '0123456789abcdef0123456789abcdef'
      const kept = await ask('POST /projects/shop/keys', { body: { key: old, id: 'old' } })
      expect(kept.body).toMatchObject({ id: 'old', hint: 'cdef' })
      expect(kept.text).not.toContain(old)
      expect((await stores.accounts.key('old'))?.digest).toBe(hash(old))
      const byHash = { keyHash: `sha256:${hash('another-key-of-elsewhere')}`, hint: 'here' }
      expect((await ask('POST /projects/shop/keys', { body: byHash })).body).toMatchObject({ hint: 'here' })
      const hex = (await ask('POST /projects/shop/keys', { body: { form: 'hex' } })).body
      expect(hex.key).toMatch(/^[0-9a-f]{32}$/)
      for (const body of [{ key: 'short-key-of-15' }, { key: 'x'.repeat(129) }, { key: 'with a space in the key' }]) {
        expect((await ask('POST /projects/shop/keys', { body })).body.issues).toMatchObject([{ path: 'key' }])
        const list = [{ project: 'shop', ...body }]
        expect((await ask('POST /keys/import', { body: list })).body.issues).toMatchObject([{ path: '[0].key' }])
      }
      for (const [body, path] of [
        [{ key: old, keyHash: byHash.keyHash }, 'keyHash'],
        [{ key: old, hint: 'x' }, 'hint'],
        [{ key: old, form: 'hex' }, 'form'],
        [{ keyHash: 'sha256:1' }, 'keyHash'],
      ] as const) {
        expect((await ask('POST /projects/shop/keys', { body })).body.issues).toMatchObject([{ path }])
      }
      expect((await ask('POST /projects/shop/keys', { body: { key: old } })).status).toBe(409)
    })

    it('list pins page by page, of projects of the configuration, too, and of none that is unknown', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask, stores } = fixture
      for (const i of [0, 1, 2]) {
        await stores.pins.put('fixed', { cid: `bafy${i}`, type: 'direct', name: undefined, bytes: 5n })
      }
      await stores.pins.put('other', { cid: 'bafy9', type: 'direct', name: undefined, bytes: 5n })
      const first = (await ask('GET /ipfs/fixed/pins?limit=2')).body
      expect(first).toEqual({
        items: [0, 1].map((i) => ({ cid: `bafy${i}`, type: 'direct', bytes: 5 })),
        next: 'bafy1',
      })
      const rest = (await ask(`GET /ipfs/fixed/pins?limit=2&after=${first.next}`)).body
      expect(rest).toEqual({ items: [{ cid: 'bafy2', type: 'direct', bytes: 5 }] })
      expect((await ask('GET /ipfs/other/pins')).status).toBe(404)
      expect((await ask('GET /ipfs/fixed/pins?after=../x')).status).toBe(422)
    })

    it('refuse three live secrets and four JWT keys, and rotate secrets with an overlap', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask, clock } = fixture
      await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
      await ask('POST /projects/shop/keys', { body: { id: 'k' } })
      await ask('POST /projects/shop/keys/k/secrets')
      await ask('POST /projects/shop/keys/k/secrets')
      expect((await ask('POST /projects/shop/keys/k/secrets')).status).toBe(409)
      clock.now += 1_000
      expect((await ask('POST /projects/shop/keys/k/secrets', { body: { overlapSeconds: 0 } })).status).toBe(201)
      const next = await ask('POST /projects/shop/keys/k/secrets', { body: { overlapSeconds: 5 } })
      expect(next.status).toBe(201)
      const { secrets } = (await ask('GET /projects/shop/keys/k')).body
      expect(secrets.map(({ expiresAt }: { expiresAt?: number }) => expiresAt)).toEqual([clock.now + 5_000, undefined])
      for (let i = 0; i < 3; i++) await ask('POST /projects/shop/jwt-keys', { body: { pem: newPem() } })
      expect((await ask('POST /projects/shop/jwt-keys', { body: { pem } })).status).toBe(409)
    })

    it('tell a record that is not there from a plan that is not', async () => {
      await using fixture = await openFixture(await fresh())
      const { ask } = fixture
      await ask('POST /projects', { body: { id: 'shop', name: 'Shop' } })
      await ask('POST /projects/shop/keys', { body: { id: 'k' } })
      const body = { plan: 'none' }
      for (const what of ['PATCH /projects/shop', 'POST /projects/shop/keys', 'PATCH /projects/shop/keys/k']) {
        const { status, body: problem } = await ask(what, { body })
        expect([what, status, problem.issues]).toEqual([what, 422, [{ path: 'plan', message: expect.any(String) }]])
      }
      expect((await ask('POST /projects', { body: { name: 'X', plan: 'none' } })).status).toBe(422)
      await ask('POST /projects', { body: { id: 'other', name: 'Other' } })
      for (const what of [
        'PATCH /projects/none',
        'POST /projects/none/keys',
        'PATCH /projects/none/keys/k',
        'PATCH /projects/other/keys/k',
        'PATCH /projects/shop/keys/none',
      ]) {
        expect([what, (await ask(what, { body })).status]).toEqual([what, 404])
      }
      for (const what of [
        'DELETE /projects/none',
        'GET /projects/none/keys',
        'GET /projects/other/keys/k',
        'DELETE /projects/other/keys/k',
        'DELETE /projects/shop/keys/k/secrets/none',
        'DELETE /projects/shop/jwt-keys/none',
        'DELETE /plans/none',
        'POST /projects/other/keys/k/rotate',
        'POST /projects/other/keys/k/secrets',
      ]) {
        expect([what, (await ask(what)).status]).toEqual([what, 404])
      }
    })
  })
}
