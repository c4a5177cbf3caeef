import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AdminApi,
  type AdminClient,
  AdminError,
  allPages,
  createAdminClient,
  type Project,
} from '@wayleave/admin-api'
import { describe, expect, it } from 'vitest'
import { newPem, openFixture, pem, tokenOf } from './support/fixture.ts'

/** Serves on a port of this machine. */
async function serve(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** As the gateway is to do it. */
function listenerOf(api: AdminApi, seen: IncomingHttpHeaders[] = []): RequestListener {
  return async (request, response) => {
    seen.push(request.headers)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [path = '', query] = request.url!.split('?', 2)
    const answer = await api.handle({
      method: request.method!,
      path,
      query,
      headers: request.headers,
      body: Buffer.concat(chunks),
    })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }
}

/** All that a client can ask, once. */
async function useAll(client: AdminClient): Promise<void> {
  await client.plans.put('team', { name: 'Team', limits: { perDay: { credits: 5 } } })
  expect((await client.plans.list()).items.map(({ id }) => id)).toEqual(['fixed-plan', 'team'])
  await client.projects.create({ id: 'shop', name: 'Shop' })
  expect((await client.projects.update('shop', { plan: 'team' })).plan).toBe('team')
  expect((await client.projects.get('shop')).name).toBe('Shop')
  const created = await client.keys.create('shop')
  expect(created.key).toMatch(/^wl_/)
  expect((await client.keys.update('shop', created.id, { label: 'web' })).label).toBe('web')
  const secret = await client.secrets.create('shop', created.id, { label: 'first' })
  await client.secrets.remove('shop', created.id, secret.id)
  const rotated = await client.keys.rotate('shop', created.id, { overlapSeconds: 5 })
  expect((await client.keys.get('shop', created.id)).expiresAt).toBe(rotated.old.expiresAt)
  await client.keys.revoke('shop', created.id)
  expect((await client.keys.list('shop')).items.map(({ id }) => id)).toEqual([rotated.created.id])
  const { kid } = await client.jwtKeys.add('shop', { pem })
  await client.jwtKeys.remove('shop', kid)
  await client.jwtKeys.add('shop', { kid: 'a:b', pem: newPem() })
  await client.jwtKeys.remove('shop', 'a:b')
  expect((await client.keys.import([{ project: 'shop', key: 'b'.repeat(32) }])).items[0]?.outcome).toBe('created')
  await client.networks.cordon('mainnet', 'node-1', { reason: 'disk' })
  expect((await client.networks.list())[0]?.upstreams[0]?.cordoned).toBe('disk')
  await client.networks.uncordon('mainnet', 'node-1')
  expect((await client.gas.list())[0]?.promises?.high.kept).toBe(9)
  expect((await client.gas.get('mainnet')).history[0]?.high).toBe('3')
  expect((await client.streams())[0]?.sockets).toBe(3)
  expect((await client.replay()).networks[0]?.changed?.upstreams[0]?.units).toBe(80)
  expect(await client.pins('fixed', { limit: 5 })).toEqual({ items: [] })
  await expect(client.verification.get()).rejects.toMatchObject({ code: 'not_found' })
  expect(await client.verification.start()).toMatchObject({ state: 'running' })
  expect(await client.verification.get()).toMatchObject({ badBlocks: [{ projects: ['shop'] }] })
  expect(await client.methods('evm')).toMatchObject({ openrpc: '1.3.2' })
  expect(await client.usage({ by: ['method', 'at'], project: 'shop', from: 0 })).toMatchObject({ items: [] })
  expect(await client.usage({ by: [] })).toMatchObject({ items: [{ calls: 0 }] })
  expect((await client.audit({ project: 'shop', limit: 1 })).items.length).toBe(1)
  const { changes } = await client.apply({ plans: [], projects: [], dryRun: true })
  expect(changes.map(({ action }) => action)).toEqual(['remove', 'remove'])
  await client.projects.remove('shop')
  await client.plans.remove('team')
  expect((await client.document()).openapi).toBe('3.1.0')
}

describe('a client', () => {
  it('asks all over HTTP', async () => {
    await using fixture = await openFixture()
    await using server = await serve(listenerOf(fixture.api))
    await useAll(createAdminClient({ url: `${server.url}/`, token: tokenOf('all') }))
  })

  it('asks all in its own process', async () => {
    await using fixture = await openFixture()
    await useAll(createAdminClient({ handle: fixture.api.handle, token: tokenOf('all') }))
  })

  it('throws the error of an answer, with its code and all issues', async () => {
    await using fixture = await openFixture()
    await using server = await serve(listenerOf(fixture.api))
    const all = createAdminClient({ url: server.url, token: tokenOf('all') })
    const cases: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => all.projects.get('none'), 'not_found'],
      [() => all.projects.create({ id: 'fixed', name: 'X' }), 'conflict'],
      [() => all.projects.list({ limit: 0 }), 'invalid'],
      [() => createAdminClient({ url: server.url, token: 'other' }).projects.list(), 'unauthorized'],
      [() => createAdminClient({ url: server.url, token: tokenOf('usage') }).projects.list(), 'forbidden'],
    ]
    for (const [work, code] of cases) {
      const error: unknown = await work().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(AdminError)
      expect(error).toMatchObject({ code })
      if (code === 'invalid') expect((error as AdminError).issues).toMatchObject([{ path: 'query.limit' }])
    }
  })

  it('rejects ids that would lead to another path, and asks for odd ones as they are', async () => {
    await using fixture = await openFixture()
    const client = createAdminClient({ handle: fixture.api.handle, token: tokenOf('all') })
    for (const id of ['', '.', '..']) {
      await expect(client.projects.remove(id)).rejects.toMatchObject({ code: 'not_found' })
      await expect(client.keys.revoke('shop', id)).rejects.toMatchObject({ code: 'not_found' })
    }
    for (const id of ['a/b', '../plans', '%2e%2e', 'ü', 'a?b=c', 'a#b']) {
      await expect(client.projects.get(id)).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it.each<readonly [string, RequestListener]>([
    ['a page of HTML', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['JSON that is none', (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{')],
    ['an error of a proxy', (_, response) => response.writeHead(502).end('Bad gateway')],
    [
      'JSON of another API',
      (_, response) => response.writeHead(404, { 'content-type': 'application/json' }).end('{"code":1}'),
    ],
  ])('says so where %s answers', async (_, listener) => {
    await using server = await serve(listener)
    const client = createAdminClient({ url: server.url, token: 'x' })
    await expect(client.projects.list()).rejects.toMatchObject({ code: 'unreadable', message: /check the URL/ })
  })

  it('takes its token to no other place, and gives up in time', async () => {
    const seen: IncomingHttpHeaders[] = []
    await using fixture = await openFixture()
    await using other = await serve(listenerOf(fixture.api, seen))
    await using server = await serve((_, response) =>
      response.writeHead(307, { location: `${other.url}/admin/v1/plans` }).end(),
    )
    const client = createAdminClient({ url: server.url, token: tokenOf('all') })
    await expect(client.plans.list()).rejects.toMatchObject({ code: 'unreachable' })
    expect(seen).toEqual([])
    await using silent = await serve(() => {})
    const hasty = createAdminClient({ url: silent.url, token: 'x', timeoutMs: 20 })
    await expect(hasty.plans.list()).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('stops reading an answer that is longer than any of this API', async () => {
    await using server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(1_048_576, ' ')
      const write = (): void => void response.write(chunk, (error) => error ?? write())
      write()
    })
    const client = createAdminClient({ url: server.url, token: 'x' })
    await expect(client.plans.list()).rejects.toMatchObject({ code: 'unreadable' })
  })

  it.each(['', 'localhost:9090', 'ftp://host', 'http://user@host', 'http://'])('refuses the URL "%s"', (url) => {
    expect(() => createAdminClient({ url, token: 'x' })).toThrow(/^url: expected an http or https URL/)
  })
})

it('allPages gives the items of every page, in order', async () => {
  const pages = [{ items: [1, 2], next: 'a' }, { items: [], next: 'b' }, { items: [3] }]
  const asked: unknown[] = []
  const all: number[] = []
  for await (const item of allPages<number>(async (query) => (asked.push(query.after), pages.shift()!))) all.push(item)
  expect([all, asked]).toEqual([
    [1, 2, 3],
    [undefined, 'a', 'b'],
  ])
})

it('allPages lists the projects of both sources', async () => {
  await using fixture = await openFixture()
  const client = createAdminClient({ handle: fixture.api.handle, token: tokenOf('all') })
  for (let i = 0; i < 5; i++) await client.projects.create({ id: `p${i}`, name: `P${i}` })
  const all: Project[] = []
  for await (const project of allPages((page) => client.projects.list({ ...page, limit: 2 }))) all.push(project)
  expect(all.map(({ id }) => id)).toEqual(['fixed', 'p0', 'p1', 'p2', 'p3', 'p4'])
})
