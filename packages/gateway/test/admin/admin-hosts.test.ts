import { describe, expect, it } from 'vitest'
import { createHostCheck } from '../../src/admin/admin-hosts.ts'
import { exchange, refusedUrl, send, startTestGateway } from '../support.ts'

const isServed = createHostCheck('admin.internal:8546', ['Metrics.Example'])

describe('the admin listener serves', () => {
  it.each([
    ['localhost:8546'],
    ['localhost.:8546'],
    ['pod.localhost'],
    ['127.0.0.1'],
    ['10.1.2.3:8546'],
    ['[::1]:8546'],
    ['[2001:db8::1]'],
    ['admin.internal:8546'],
    ['metrics.example'],
    ['METRICS.example.:80'],
  ])('Host: %s', (host) => {
    expect(isServed(host, [])).toBe(true)
  })

  it.each([
    ['127.0.0.1:8546', 'http://localhost:3000'],
    ['127.0.0.1:8546', 'http://127.0.0.1:8546'],
    ['10.1.2.3:8546', 'http://10.1.2.3:8546'],
    ['10.1.2.3:8546', 'https://metrics.example'],
  ])('Host: %s, Origin: %s', (host, origin) => {
    expect(isServed(host, [origin])).toBe(true)
  })
})

describe('the admin listener refuses', () => {
  it.each([
    ['evil.example'],
    ['evil.example:8546'],
    ['127.0.0.1.evil.example'],
    ['localhost.evil.example'],
    ['evil.metrics.example'],
    ['admin.internal.evil.example'],
    [''],
    ['@'],
    // To `URL` these are users, paths, queries and fragments of a host that is served.
    ['evil@localhost'],
    ['evil.example@127.0.0.1:8546'],
    ['evil:x@metrics.example'],
    ['localhost/evil.example'],
    ['localhost\\evil.example'],
    ['localhost?evil.example'],
    ['localhost#evil.example'],
    ['%6cocalhost'],
  ])('Host: %s', (host) => {
    expect(isServed(host, [])).toBe(false)
  })

  it.each([
    ['127.0.0.1', 'http://evil.example'],
    ['127.0.0.1:8546', 'http://10.9.9.9'],
    ['10.1.2.3:8546', 'http://10.1.2.3:80'],
    ['127.0.0.1', 'null'],
    ['127.0.0.1', ''],
    ['127.0.0.1', 'http://evil@localhost'],
    ['127.0.0.1', 'http://localhost/evil.example'],
  ])('Host: %s, Origin: %s', (host, origin) => {
    expect(isServed(host, [origin])).toBe(false)
  })

  it('two origins, of whatever kind', () => {
    expect(isServed('127.0.0.1', ['http://localhost', 'http://localhost'])).toBe(false)
  })
})

it('a foreign Host or Origin is 403 on every path, and not repeated', async () => {
  const token = 'a-token-of-the-operator'
  const gateway = await startTestGateway([await refusedUrl()], { admin: { hosts: ['metrics.example'], token } })
  for (const path of ['/healthz', '/readyz', '/status', '/metrics', '/']) {
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
      const { status, body } = await send(gateway.admin, path, { headers })
      expect([status, body]).toEqual([
        403,
        'this Host or Origin is not served here: admin.hosts lists those that are\n',
      ])
    }
  }
  expect((await send(gateway.admin, '/healthz', { headers: { host: 'metrics.example' } })).status).toBe(200)
  const headers = { host: '10.0.0.7:8546', authorization: `Bearer ${token}` }
  expect((await send(gateway.admin, '/metrics', { headers })).status).toBe(200)
  expect((await send(gateway.admin, '/status', { headers: { host: 'evil@localhost' } })).status).toBe(403)
  const doubled = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n'
  expect(await exchange(gateway.admin, doubled)).toMatch(/^HTTP\/1\.1 403 /)
  await gateway.close()
})
