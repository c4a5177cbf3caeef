// A provider that moves by DNS while its old place keeps its connections.
import dns from 'node:dns'
import { createContext } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createUndiciPort } from '@wayleave/upstream/node'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startServer } from '../support.ts'

const context = createContext({ timeoutMs: 15_000 })
let looks: string[]

beforeEach(() => {
  looks = []
  vi.spyOn(dns, 'lookup').mockImplementation(((
    name: string,
    options: dns.LookupOptions,
    done: (...reported: unknown[]) => void,
  ) => {
    looks.push(name)
    if (options.all === true) done(null, [{ address: '127.0.0.1', family: 4 }])
    else done(null, '127.0.0.1', 4)
  }) as never)
})
afterEach(() => {
  vi.restoreAllMocks()
})

it.each([
  ['a name', 'provider.test', 3],
  ['an address', '127.0.0.1', 1],
])('connections to %s are as many as it takes to look up a name again after 25 s', async (_, host, connections) => {
  await using server = await startServer((_request, response) => response.end('ok'))
  looks.length = 0
  const clock = new FakeClock()
  const port = createUndiciPort({ connections: 1, clock })
  const url = server.url.replace('127.0.0.1', host)
  for (const passed of [0, 20_000, 5_001, 24_000, 2_000]) {
    clock.advance(passed)
    expect((await port.http({ url, headers: [], body: '{}' }, context)).status).toBe(200)
  }
  expect(server.accepted).toBe(connections)
  expect(looks.length).toBe(host === 'provider.test' ? connections : 0)
  await port.close()
})

it.each([
  ['a name', 'proxy.test', 3],
  ['an address', '127.0.0.1', 1],
])(
  'connections to an address through a proxy with %s are as many as it takes to look it up again after 25 s',
  async (_, host, connections) => {
    await using server = await startServer((_request, response) => response.end('ok'))
    const clock = new FakeClock()
    const proxy = { url: server.url.replace('127.0.0.1', host) }
    const port = createUndiciPort({ connections: 1, clock, proxy })
    for (const passed of [0, 20_000, 5_001, 24_000, 2_000]) {
      clock.advance(passed)
      const asked = { url: 'http://192.0.2.1', headers: [], body: '{}' }
      expect((await port.http(asked, context)).status).toBe(200)
    }
    expect(server.accepted).toBe(connections)
    await port.close()
  },
)
