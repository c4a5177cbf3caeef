import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthenticator, createMemoryKeyStore, sha256Hex } from '@wayleave/auth'
import { createMemoryFeeStore } from '@wayleave/gas-fees'
import { createLog, limitsOf } from '@wayleave/gateway'
import { type Clock, createRpcServer, rawJsonFromText, systemClock } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBlocks, createByteBudget } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { createAdmission } from '../../src/admission.ts'
import { createGasListener } from '../../src/gas/listener.ts'
import { createGasService } from '../../src/gas/service.ts'
import { createHealth } from '../../src/health/health.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { parseRoute } from '../../src/routes/route.ts'
import type { GatewayContext } from '../../src/context/context.ts'
import { createRpcListener } from '../../src/rpc/listener.ts'
import type { Network } from '../../src/served-network.ts'
import { createSessions } from '../../src/sessions.ts'
import { createTimeouts } from '../../src/config/timeouts.ts'
import { frame, key, post, rawConnection, sleep, unmetered, until, untracedParts } from '../support.ts'

// The gateway's own limits are too long to wait for: the same listener on a server with shorter ones.
let timers = 0
const clock: Clock = {
  ...systemClock,
  after(ms, run) {
    timers++
    const stop = systemClock.after(ms, run)
    return () => {
      timers--
      stop()
    }
  },
}
const calls: string[] = []
const rpc = createRpcServer<GatewayContext>(async ({ method }) => {
  calls.push(method)
  return { result: rawJsonFromText('1') }
})
const metrics = createMetrics()
const network: Network = {
  name: 'mainnet',
  server: rpc,
  metrics: metrics.network('mainnet'),
  place: { network: 'mainnet', kind: 'evm', methods: new Set() },
  probe: () => ({ serves: Promise.resolve(true), all: Promise.resolve([]) }),
  apiVersions: undefined,
  cordon: () => false,
  upstreams: [],
  showsUpstream: () => false,
  rejected: () => {},
}
const log = createLog({ level: 'silent' })
const admission = createAdmission({
  networks: new Map([['mainnet', network]]),
  defaultNetwork: 'mainnet',
  absentNetworks: new Map(),
  authenticate: createAuthenticator({ keys: createMemoryKeyStore([{ id: 'p', name: 'p', keys: [{ key }] }]) }),
  route: (path, host) => parseRoute(path, host, () => undefined),
  sha256: sha256Hex,
  onlyLocal: false,
  trustedProxies: [],
  noteDenial() {},
  noteRefusal() {},
})
const limits = limitsOf({ limits: { requestTimeoutMs: 5_000, maxBodyBytes: 1_000, maxInFlight: 1 } })
const service = createGasService({
  networks: [],
  denyMethods: [],
  store: createMemoryFeeStore(),
  clock,
  log,
  maxStreams: 1,
  totalTimeoutMs: 1_000,
})
const budget = createByteBudget({
  turns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
  capacity: limits.maxHeldBytes,
  onRefused() {},
})
const timeouts = createTimeouts({ networks: {} }, limits)
const sessions = createSessions(clock)
const shared = {
  ...untracedParts(),
  admission,
  sessions,
  metering: unmetered,
  limits,
  timeouts,
  compression: { isOn: false },
  budget,
  clock,
  log,
  metrics,
}
const listener = createRpcListener({
  ...shared,
  health: createHealth({
    networks: [network],
    ipfs: undefined,
    store: undefined,
    phase: () => 'running',
    metrics,
    clock,
  }),
  newTraceId: () => 'trace',
  nextTurn: (run) => void setImmediate(run),
  blocks: createBlocks(),
  onPassed: () => {},
  gas: createGasListener({ ...shared, service }),
})
const server = createServer({ requestTimeout: 300, headersTimeout: 200, connectionsCheckingInterval: 20 }, listener)
let url: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

describe('a request that comes too slowly', () => {
  it.each([
    ['in its head', `POST /v3/${key} HTTP/1.1\r\n`],
    ['in its body', `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{`],
    ['in its chunks', `POST /v3/${key} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ])('%s is answered 408, and leaves neither call nor timer', async (_what, text) => {
    const connection = rawConnection(url)
    connection.send(text)
    const drip = setInterval(() => connection.send(text.includes('chunked') ? '1\r\nx\r\n' : 'x'), 50)
    const answer = await connection.whole()
    clearInterval(drip)
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    expect([calls, timers]).toEqual([[], 0])
  })

  it('in a body that nobody would read is cut, too, after its refusal', async () => {
    const connection = rawConnection(url)
    connection.send('POST /v3/nobody HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
    await connection.saw(/401 Unauthorized/)
    const drip = setInterval(() => connection.send('x'), 50)
    await connection.whole()
    clearInterval(drip)
  })
})

it('100 calls over one connection leave no timer', async () => {
  const connection = rawConnection(url)
  for (let id = 1; id <= 100; id++) {
    connection.send(post(`/v3/${key}`, frame('a', [], id), ['Host: a']))
    await connection.saw(new RegExp(`"id":${id},"result":1\\}$`))
  }
  await until(() => timers === 0)
  connection.socket.destroy()
  await sleep(1)
})
