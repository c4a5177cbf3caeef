import { createHash } from 'node:crypto'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  exchange,
  frame,
  key,
  refusedUrl,
  send,
  startNode,
  startTestGateway,
  type TestNode,
  until,
} from '../support.ts'
import { openSocket, upgrade } from '../web-socket-client.ts'

let node: TestNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startNode()
  gateway = await startTestGateway([await refusedUrl(), node.url])
})
afterAll(async () => {
  await gateway.close()
  await node.close()
})

it('metrics count answers, upstream failures and connections', async () => {
  const client = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  client.send(frame('eth_chainId'))
  await client.next()
  await send(gateway.rpc, `/v3/${key}`, { body: '{' })
  const { status, headers, body } = await send(gateway.admin, '/metrics')
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(body).toContain('wayleave_answers_total{network="mainnet",status="200"} 1\n')
  expect(body).toContain('wayleave_answers_total{network="mainnet",status="400"} 1\n')
  expect(body).toContain(
    'wayleave_upstream_failures_total{network="mainnet",endpoint="upstream-1",failure="unreachable"} 1\n',
  )
  expect(body).toContain('wayleave_websocket_connections{network="mainnet"} 1\n')
  await client.close()
  await until(() => client.closed !== undefined)
  expect((await send(gateway.admin, '/metrics')).body).toContain(
    'wayleave_websocket_connections{network="mainnet"} 0\n',
  )
})

it.each(['/metrics', '/healthz', '/readyz', '/elsewhere'])('a browser may not guess the type of %s', async (path) => {
  expect((await send(gateway.admin, path)).headers['x-content-type-options']).toBe('nosniff')
})

it('metrics hold no URL and no key', async () => {
  const { body } = await send(gateway.admin, '/metrics')
  expect(body).not.toContain(key)
  expect(body).not.toMatch(/http:|127\.0\.0\.1/)
})

it.each([
  ['GET', '/healthz', 200, 'ok\n'],
  ['HEAD', '/healthz', 200, ''],
  [
    'GET',
    '/',
    404,
    'there are /healthz, /readyz, /status, /metrics, /explain, and POST /reload, /upstreams/cordon and /upstreams/uncordon\n',
  ],
  [
    'GET',
    `/v3/${key}`,
    404,
    'there are /healthz, /readyz, /status, /metrics, /explain, and POST /reload, /upstreams/cordon and /upstreams/uncordon\n',
  ],
  ['POST', '/metrics', 405, 'use GET\n'],
  ['GET', '/healthz/?from=probe', 200, 'ok\n'],
  [
    'GET',
    '//',
    404,
    'there are /healthz, /readyz, /status, /metrics, /explain, and POST /reload, /upstreams/cordon and /upstreams/uncordon\n',
  ],
])('%s %s is %d', async (method, path, status, body) => {
  expect(await send(gateway.admin, path, { method })).toMatchObject({ status, body })
})

it('readiness names the endpoints', async () => {
  const { status, body } = await send(gateway.admin, '/readyz')
  expect(status).toBe(503)
  expect(body).toMatch(
    /^mainnet: upstream-1: no connection could be made \(ECONNREFUSED\); upstream-2: expected chain 0x1, got .*\nother: /,
  )
})

it('/status tells what is degraded as JSON, of one network where that is asked, and gauges tell it, too', async () => {
  const { status, headers, body } = await send(gateway.admin, '/status?network=mainnet')
  expect([status, headers['content-type']]).toEqual([200, 'application/json'])
  expect(JSON.parse(body)).toMatchObject({
    phase: 'running',
    degraded: ['network:mainnet'],
    networks: {
      mainnet: {
        state: 'down',
        upstreams: [
          { name: 'upstream-1', state: 'down', reason: 'no connection could be made (ECONNREFUSED)' },
          { name: 'upstream-2', state: 'down' },
        ],
      },
    },
  })
  expect(body).not.toMatch(/http:|127\.0\.0\.1/)
  expect((await send(gateway.admin, '/status?network=nowhere')).status).toBe(404)
  const metrics = (await send(gateway.admin, '/metrics')).body
  expect(metrics).toContain('wayleave_degraded{what="network:mainnet"} 1\n')
  expect(metrics).toContain('wayleave_degraded{what="store"} 0\n')
  expect((await send(gateway.rpc, '/status')).status).toBe(404)
})

it('metrics count refusals by their status, and calls that nobody answered, also in batches', async () => {
  const dead = await startTestGateway([await refusedUrl()])
  await send(dead.rpc, '/v3/nobody', { body: '{}' })
  await send(dead.rpc, `/v3/${key}`)
  await exchange(dead.rpc, upgrade('/ws/v3/nobody'))
  await send(dead.rpc, `/v3/${key}`, { body: `[${frame('a')},${frame('b')}]` })
  await send(dead.rpc, `/v3/${key}`, { body: frame('eth_chainId') })
  const { body } = await send(dead.admin, '/metrics')
  expect(body).toContain('wayleave_refusals_total{status="401"} 2\n')
  expect(body).toContain('wayleave_refusals_total{status="405"} 1\n')
  expect(body).toContain('wayleave_rejected_calls_total{network="mainnet",code="connect"} 3\n')
  await dead.close()
})

it('an upgrade is not taken', async () => {
  const answer = await exchange(
    gateway.admin,
    'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
})

it('the admin listener answers no calls, and the other no metrics', async () => {
  expect((await send(gateway.admin, `/v3/${key}`, { body: frame('a') })).status).toBe(405)
  expect((await send(gateway.rpc, '/metrics')).status).toBe(404)
})

it('asks for the admin token where one is set, but not for health, and tells it nowhere', async () => {
  const token = 'S3CR3T-admin-token'
  const guarded = await startTestGateway([node.url], { admin: { token } })
  const ask = (path: string, authorization?: string) =>
    send(guarded.admin, path, { headers: authorization === undefined ? {} : { authorization } })
  expect((await ask('/healthz')).status).toBe(200)
  expect((await ask('/readyz')).status).toBe(503)
  for (const path of ['/metrics', '/status', '/', `/v3/${key}`]) {
    for (const authorization of [undefined, 'Bearer', `Bearer ${token}x`, `Basic ${btoa(`:${token}`)}`, token]) {
      const { status, headers, body } = await ask(path, authorization)
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="admin"'])
      expect(body).toBe(tokenRequired)
    }
  }
  expect((await ask('/metrics', `Bearer ${token}`)).status).toBe(200)
  expect((await ask('/readyz?x=1')).status).toBe(503)
  expect((await ask('/metrics/?x=1', `bearer  ${token}`)).body).toContain('wayleave_dropped_connections_total 0\n')
  expect((await ask('/', `Bearer ${token}`)).status).toBe(404)
  await guarded.close()
})

const tokenRequired =
  'an admin token is required (admin.token, or one of admin.tokens): Authorization: Bearer <token>\n'

it('asks for a token of admin.tokens where there is no admin.token, by its scopes and until it expires', async () => {
  const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const scoped = ['read', 'accounts', 'usage', 'networks', 'all'] as const
  const tokens = scoped.map((scope) => ({ name: scope, tokenHash: hashOf(`S3CR3T-of-${scope}`), scopes: [scope] }))
  const old = {
    name: 'old',
    tokenHash: hashOf('S3CR3T-that-expired'),
    scopes: ['all'] as const,
    expiresAt: '2020-01-01',
  }
  const guarded = await startTestGateway([node.url], { admin: { tokens: [...tokens, old] } })
  const ask = async (path: string, text?: string, method = 'GET') =>
    send(guarded.admin, path, { method, headers: text === undefined ? {} : { authorization: `Bearer ${text}` } })
  const cordon = '/upstreams/cordon?network=mainnet&upstream=upstream-1'
  for (const text of [undefined, 'S3CR3T-of-nobody', 'S3CR3T-that-expired', 'x'.repeat(2_000)]) {
    for (const [path, method] of [['/status'], ['/metrics'], [cordon, 'POST'], ['/']] as const) {
      expect(await ask(path, text, method)).toMatchObject({ status: 401, body: tokenRequired })
    }
  }
  const statuses = async (path: string, method?: string) =>
    Promise.all(scoped.map(async (scope) => (await ask(path, `S3CR3T-of-${scope}`, method)).status))
  expect(await statuses('/status')).toEqual([200, 403, 403, 200, 200])
  expect(await statuses('/metrics')).toEqual([200, 403, 403, 200, 200])
  // Explanations name projects and keys.
  expect(await statuses('/explain')).toEqual([200, 403, 403, 403, 200])
  expect(await statuses(cordon, 'POST')).toEqual([403, 403, 403, 200, 200])
  expect((await ask(cordon, 'S3CR3T-of-read', 'POST')).body).toBe('this admin token needs the scope networks or all\n')
  expect((await ask('/healthz')).status).toBe(200)
  await guarded.close()
})
