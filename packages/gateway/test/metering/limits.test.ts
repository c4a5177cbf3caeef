import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProjectConfig, createLog, realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue, systemClock } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFeeNode } from '../gas/support.ts'
import { startPushingNode, type PushingNode } from '../pushing-node.ts'
import {
  type Answer,
  basic,
  frame,
  secret,
  send,
  startNode,
  startTestGateway,
  type TestNode,
  reportedBy,
  until,
} from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

/** 160 credits in 160 s: two calls of 80 each, and no third one for 80 s. */
const slow = { perSecond: { credits: 1, burst: 160 } }
/** The same for a day. */
const daily = { perDay: { credits: 160 } }
const noon = Date.UTC(2026, 10, 23, 12)

const keyOf = (name: string): string => `key-of-the-project-${name}`
const planned = (name: string, plan: string): ProjectConfig => ({ name, plan, keys: [{ key: keyOf(name), secret }] })
const keyPlanned = (name: string, plan: string): ProjectConfig => ({
  name,
  keys: [{ key: keyOf(name), secret, plan }],
})

let node: TestNode
let pushing: PushingNode
let gateway: RunningGateway
let folder: string
let written = ''
/** Milliseconds since the day began. */
let shiftMs = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-limits-'))
  const fees = createFeeNode()
  node = await startNode((request, context) =>
    request.method === 'eth_getBalance' || request.method === 'eth_call'
      ? Promise.resolve({ result: rawJsonFromValue('0x1') })
      : fees.handler(request, context),
  )
  pushing = await startPushingNode()
  gateway = await startTestGateway(
    [],
    {
      networks: {
        mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], gas: { blocksOnDemand: true } },
        pushing: { kind: 'evm', chainId: 2, upstreams: [pushing.url] },
      },
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local' },
      trustedProxies: ['127.0.0.1'],
      plans: {
        slow,
        daily,
        edge: { perDay: { credits: 240 } },
        methods: { methods: { eth_getBalance: { perDay: { credits: 80 } } } },
        visitors: { perVisitor: { perDay: { credits: 80 } } },
        heads: { perDay: { credits: 60, marks: [] } },
        warned: { perDay: { credits: 100, action: 'warn' } },
      },
      projects: [
        { name: 'free', keys: [{ key: keyOf('free'), secret }] },
        ...['slow', 'slow-batch', 'slow-socket', 'slow-gas', 'slow-ipfs'].map((name) => keyPlanned(name, 'slow')),
        ...['day', 'day-batch', 'day-socket', 'day-gas', 'day-ipfs', 'day-turn'].map((name) => planned(name, 'daily')),
        planned('edge', 'edge'),
        planned('methods', 'methods'),
        planned('visitors', 'visitors'),
        planned('heads', 'heads'),
        planned('warned', 'warned'),
        { ...planned('ruled', 'daily'), rules: { methods: ['eth_chainId'] } },
        {
          name: 'two-keys',
          plan: 'daily',
          keys: [{ key: 'the-first-of-two-keys' }, { key: 'the-second-of-two-keys' }],
        },
      ],
    },
    {
      log: createLog({ level: 'warn', destination: { write: (line) => void (written += line) } }),
      surroundings: { ...realSurroundings, clock: { ...systemClock, date: () => noon + shiftMs } },
    },
  )
})

afterAll(async () => {
  await gateway.close()
  await node.close()
  await pushing.close()
  await rm(folder, { recursive: true, force: true })
})

type Headers = Record<string, string>

const balance = (id: unknown = 'a'): string => frame('eth_getBalance', [], id)
const askBy = (key: string, body = balance(), headers: Headers = {}): Promise<Answer> =>
  send(gateway.rpc, `/v3/${key}`, { body, headers })
const ask = (name: string, body?: string, headers?: Headers) => askBy(keyOf(name), body, headers)
const spend = async (name: string): Promise<void> => {
  for (let i = 0; i < 2; i++) expect((await ask(name)).status).toBe(200)
}
const answered = { jsonrpc: '2.0', id: 'a', result: '0x1' }
const spentDay = 'daily request count exceeded, request rate limited; it resets at 2026-11-24T00:00:00Z'
const spentData = { resets_at: '2026-11-24T00:00:00Z' }
const metricsText = async (): Promise<string> => (await fetch(`${gateway.admin}/metrics`)).text()

describe('a limited key over HTTP', () => {
  it('is told what is left, also by a page', async () => {
    const free = await ask('free', balance(), { Origin: 'https://app.example' })
    expect(free.headers).not.toHaveProperty('ratelimit')
    const first = await ask('slow', balance(), { Origin: 'https://app.example' })
    expect(first.headers['ratelimit-policy']).toBe('"key-second";q=160;w=160;qu="credits"')
    expect(first.headers['ratelimit']).toMatch(/^"key-second";r=80;t=1$/)
    expect(first.headers['access-control-expose-headers']).toContain('RateLimit-Policy, RateLimit')
  })

  it('gets 429, its error and Retry-After beyond a rate', async () => {
    expect((await ask('slow')).status).toBe(200)
    const asked = node.calls.length
    const refused = await ask('slow')
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('5')
    expect(refused.headers['ratelimit']).toMatch(/^"key-second";r=\d;t=\d+$/)
    const rate = { allowed_rps: 0.0125, backoff_seconds: 5, current_rps: expect.any(Number) as number }
    const message = 'project ID request rate exceeded'
    expect(reportedBy(refused)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32005, message, data: { event: -33300, rate } },
    })
    expect(node.calls.length).toBe(asked)
  })

  it('gets 402 without Retry-After for a spent day, until midnight', async () => {
    await spend('day')
    const refused = await ask('day')
    expect(refused.status).toBe(402)
    expect(refused.headers).not.toHaveProperty('retry-after')
    expect(refused.headers['ratelimit']).toBe('"project-day";r=0;t=43200')
    expect(reportedBy(refused)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32005, message: spentDay, data: spentData },
    })
    await spend('day-turn')
    expect((await ask('day-turn')).status).toBe(402)
    shiftMs = 12 * 3_600_000
    expect((await ask('day-turn')).status).toBe(200)
    shiftMs = 0
  })

  it('leaves the data out for methods whose data web3.py takes for a revert', async () => {
    const refused = await ask('day', frame('eth_call', [], 'a'))
    expect(JSON.parse(refused.body)).toEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: -32005, message: spentDay },
    })
  })

  it('shares the limits of its project with the other keys', async () => {
    expect((await askBy('the-first-of-two-keys')).status).toBe(200)
    expect((await askBy('the-second-of-two-keys')).status).toBe(200)
    expect((await askBy('the-first-of-two-keys')).status).toBe(402)
  })

  it('never passes a quota by two calls at once', async () => {
    await spend('edge')
    const both = await Promise.all([ask('edge'), ask('edge')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 402])
  })

  it('has limits of a method, and other methods go on', async () => {
    const first = await ask('methods')
    expect(first.status).toBe(200)
    expect(first.headers['ratelimit-policy']).toBe('"project-method-day";q=80;w=86400;qu="credits"')
    expect((await ask('methods')).status).toBe(402)
    const other = await ask('methods', frame('eth_chainId'))
    expect(other.status).toBe(200)
    expect(other.headers).not.toHaveProperty('ratelimit')
  })

  it('has limits of each address that calls with it', async () => {
    const from = (address: string) => ask('visitors', balance(), { 'X-Forwarded-For': address })
    expect((await from('192.0.2.1')).status).toBe(200)
    expect((await from('192.0.2.1')).status).toBe(402)
    expect((await from('192.0.2.2')).status).toBe(200)
  })

  it('counts all addresses of an IPv6 /64 as one, and IPv4 in IPv6 form as IPv4', async () => {
    const status = async (address: string) => (await ask('visitors', balance(), { 'X-Forwarded-For': address })).status
    expect(await status('2001:db8:0:1::1')).toBe(200)
    for (const same of ['2001:db8:0:1::2', '2001:0DB8::1:8:9:a:b', '[2001:db8:0:1::1]:4711'])
      expect(await status(same)).toBe(402)
    expect(await status('2001:db8:0:2::1')).toBe(200)
    expect(await status('192.0.2.3')).toBe(200)
    for (const same of ['::ffff:192.0.2.3', '::ffff:c000:203']) expect(await status(same)).toBe(402)
  })

  it('is debited for calls that its project does not allow', async () => {
    const denied = await ask('ruled')
    expect(denied.status).toBe(403)
    expect(denied.headers['ratelimit']).toBe('"project-day";r=155;t=43200')
  })

  it('goes on where a quota only warns, and the log and the metrics tell', async () => {
    await spend('warned')
    const marks = written.split('\n').filter((line) => line.includes('"id":"warned"'))
    expect(marks.map((line) => (JSON.parse(line) as { mark: number }).mark)).toEqual([75, 85, 100])
    expect(JSON.parse(marks[0]!)).toMatchObject({
      scope: 'project',
      window: 'day',
      credits: 100,
      resetsAt: '2026-11-24T00:00:00.000Z',
      action: 'warn',
      msg: 'a quota has reached a mark',
    })
    expect(await metricsText()).toContain('wayleave_quota_marks_total{scope="project",window="day",mark="100"}')
  })

  it('shows in the metrics, and its key shows nowhere', async () => {
    const text = await metricsText()
    expect(text).toMatch(/wayleave_limited_total\{project="slow",window="second"\} [1-9]/)
    expect(text).toMatch(/wayleave_limited_total\{project="day",window="day"\} [1-9]/)
    for (const place of [text, written]) {
      expect(place).not.toContain('key-of-the-project-')
      expect(place).not.toContain(secret)
    }
  })
})

describe('a batch of a limited key', () => {
  const batch = (...ids: readonly unknown[]): string => `[${ids.map((id) => balance(id)).join()}]`

  it('has an error for each call beyond the limit, and 200 as long as any was admitted', async () => {
    const answer = await ask('slow-batch', batch(1, 2, 3))
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('retry-after')
    expect(answer.headers['ratelimit-policy']).toBe('"key-second";q=160;w=160;qu="credits"')
    const reported = reportedBy(answer) as readonly {
      readonly id: number
      readonly error?: { readonly code: number }
    }[]
    expect(reported.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, -32005],
    ])
  })

  it('gets 429 and Retry-After where none was admitted', async () => {
    const answer = await ask('slow-batch', batch(4, 5))
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('5')
    const reported = reportedBy(answer) as readonly { readonly error: { readonly code: number } }[]
    expect(reported.map(({ error }) => error.code)).toEqual([-32005, -32005])
  })

  it('gets 402 where the day is spent, but for notifications alone', async () => {
    await spend('day-batch')
    const answer = await ask('day-batch', batch(1, 2))
    expect([answer.status, answer.headers['retry-after']]).toEqual([402, undefined])
    const silent = await ask('day-batch', JSON.stringify([{ jsonrpc: '2.0', method: 'eth_getBalance', params: [] }]))
    expect([silent.status, silent.body]).toEqual([200, ''])
  })
})

describe('a limited key over WebSocket', () => {
  const open = (name: string, network = 'mainnet') => openSocket(`${gateway.ws}/${network}/ws/v3/${keyOf(name)}`)

  it('has an error for each call beyond the limit, and stays open', async () => {
    const socket = await open('slow-socket')
    for (let i = 0; i < 3; i++) socket.send(balance())
    const replies = [await socket.nextUntraced(), await socket.nextUntraced(), await socket.nextUntraced()]
    expect(replies.filter((reply) => JSON.stringify(reply) === JSON.stringify(answered))).toHaveLength(2)
    expect(replies.find((reply) => 'error' in (reply as object))).toMatchObject({ error: { code: -32005 } })
    socket.send(`[${balance()}]`)
    expect(await socket.nextUntraced()).toMatchObject([{ error: { code: -32005 } }])
    expect(await socket.close()).toBe(1005)
  })

  it('pays for events, and is closed with 1008 by the one that meets a spent quota', async () => {
    const socket = await open('heads', 'pushing')
    socket.send(frame('eth_subscribe', ['newHeads'], 1))
    expect(await socket.next()).toMatchObject({ id: 1, result: expect.any(String) as string })
    await until(() => pushing.open.size === 1)
    const [id] = pushing.open
    // 5 credits for the subscription, 50 for an event: the second one passes 60.
    pushing.push(id!, { number: '0x1' })
    expect(await socket.next()).toMatchObject({ method: 'eth_subscription' })
    expect(socket.closed).toBeUndefined()
    pushing.push(id!, { number: '0x2' })
    await until(() => socket.closed !== undefined)
    expect(socket.closed).toEqual({ code: 1008, reason: spentDay })
  })
})

describe('a limited key at the gas API', () => {
  const askGas = (name: string, headers: Headers = {}) =>
    send(gateway.rpc, `/v3/${keyOf(name)}/networks/1/suggestedGasFees`, { headers })

  it('is told what is left, and refused in the words of the API', async () => {
    const first = await askGas('slow-gas', { Origin: 'https://app.example' })
    expect([first.status, first.headers['ratelimit']]).toEqual([200, '"key-second";r=80;t=1'])
    expect(first.headers['access-control-expose-headers']).toContain('RateLimit-Policy, RateLimit')
    await askGas('slow-gas')
    const refused = await askGas('slow-gas')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
    expect(JSON.parse(refused.body)).toEqual({ statusCode: 429, message: 'project ID request rate exceeded' })
    expect(refused.headers['ratelimit']).toMatch(/^"key-second";r=\d;t=\d+$/)
  })

  it('is not told to come back on a spent day', async () => {
    await askGas('day-gas')
    await askGas('day-gas')
    const refused = await askGas('day-gas')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, undefined])
    expect(JSON.parse(refused.body)).toEqual({ statusCode: 429, message: spentDay })
  })

  it('pays 5 credits at most for a chain that is not there, and nothing without a key', async () => {
    const unknown = await send(gateway.rpc, `/v3/${keyOf('edge')}/networks/6001/suggestedGasFees`)
    expect(unknown.status).not.toBe(200)
    const names = await send(gateway.rpc, '/v1/supportedChainNames')
    expect(names.status).toBe(200)
    expect(names.headers).not.toHaveProperty('ratelimit')
  })
})

describe('a limited key at the IPFS API', () => {
  const askIpfs = (name: string, headers: Headers = {}) =>
    send(gateway.ipfs!, '/api/v0/pin/ls', {
      body: '',
      headers: { Authorization: basic(keyOf(name), secret), ...headers },
    })

  it('is told what is left, and refused in plain text', async () => {
    const first = await askIpfs('slow-ipfs', { Origin: 'https://app.example' })
    expect([first.status, first.headers['ratelimit']]).toEqual([200, '"key-second";r=80;t=1'])
    expect(first.headers['access-control-expose-headers']).toContain('RateLimit-Policy, RateLimit')
    await askIpfs('slow-ipfs')
    const refused = await askIpfs('slow-ipfs')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5'])
    expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(refused.body).toBe('project ID request rate exceeded\n')
    expect(refused.headers['ratelimit']).toMatch(/^"key-second";r=\d;t=\d+$/)
  })

  it('is not told to come back on a spent day', async () => {
    await askIpfs('day-ipfs')
    await askIpfs('day-ipfs')
    const refused = await askIpfs('day-ipfs')
    expect([refused.status, refused.headers['retry-after'], refused.body]).toEqual([429, undefined, `${spentDay}\n`])
  })
})
