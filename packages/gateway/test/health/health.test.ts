import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import type { EndpointState } from '@wayleave/network'
import { createHealth, type HealthOptions } from '../../src/health/health.ts'
import { lookAt, type Probed } from '../../src/health/probe.ts'

const state = (endpoint: string, reason?: string): EndpointState => ({ endpoint, reason })
const part = (name: string, ...states: EndpointState[]): Probed => ({
  name,
  probe: () => lookAt(Promise.resolve(states)),
})
const up = part('up', state('a'), state('b'))
const half = part('half', state('a'), state('b', 'no answer'))
const down = part('down', state('a', 'no answer'), state('b', 'another chain'))
const hanging: Probed = {
  name: 'hanging',
  probe: () => ({ serves: new Promise(() => {}), all: new Promise(() => {}) }),
}

function start(options: Partial<HealthOptions>) {
  const gauges: Record<string, number> = {}
  const clock = new FakeClock()
  const health = createHealth({
    networks: [],
    ipfs: undefined,
    store: undefined,
    phase: () => 'running',
    metrics: { degraded: (what) => ({ set: (value) => void (gauges[what] = value), add() {} }) },
    clock,
    ...options,
  })
  return { gauges, clock, health }
}
const goneStore = { kind: 'sqlite', fault: () => 'its disk is full', takesCalls: () => false } as const
const goodStore = { kind: 'postgres', fault: () => undefined, takesCalls: () => true } as const
const fullStore = { ...goneStore, takesCalls: () => true } as const

const noRoom = { endpoint: 'local', reason: undefined, limit: 'takes nothing new' }

describe('readiness', () => {
  it.each([
    ['one of many networks serves', { networks: [down, up] }, 200, 'down: no answer; another chain\nup: ok\n'],
    ['no network serves', { networks: [down] }, 503, 'down: no answer; another chain\n'],
    ['the store is gone', { networks: [up], store: goneStore }, 200, 'up: ok\nstore: its disk is full\n'],
    [
      'the IPFS API alone serves',
      { networks: [down], ipfs: part('ipfs'), store: goodStore },
      200,
      'down: no answer; another chain\nipfs: ok\nstore: ok\n',
    ],
    [
      'the IPFS API has no store',
      { networks: [down], ipfs: part('ipfs'), store: goneStore },
      503,
      'down: no answer; another chain\nipfs: ok\nstore: its disk is full\n',
    ],
    [
      'the disk is full',
      { networks: [down], ipfs: part('ipfs', noRoom), store: fullStore },
      200,
      'down: no answer; another chain\nipfs: takes nothing new\nstore: its disk is full\n',
    ],
    ['it starts', { networks: [up], phase: () => 'starting' }, 503, 'starting\n'],
    ['it drains', { networks: [up], phase: () => 'draining' }, 503, 'draining\n'],
  ] as readonly (readonly [string, Partial<HealthOptions>, number, string])[])(
    'where %s',
    async (_what, options, status, body) => {
      expect(await start(options).health.readiness(false)).toMatchObject({ status, body })
    },
  )

  it('names endpoints to an operator', async () => {
    const { body } = await start({ networks: [down] }).health.readiness(true)
    expect(body).toBe('down: a: no answer; b: another chain\n')
  })

  it('waits for no network that hangs, once another one serves', async () => {
    const { clock, health } = start({ networks: [hanging, up] })
    const answer = health.readiness(false)
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(250)
    expect(await answer).toMatchObject({ status: 200, body: 'hanging: no answer yet\nup: ok\n' })
  })
})

describe('the status', () => {
  const all = { networks: [up, half, down], ipfs: part('ipfs', state('local', 'the backend does not answer')) }

  it('tells what is degraded, and why', async () => {
    const { status, contentType, body } = await start({ ...all, store: goneStore }).health.status(undefined)
    expect([status, contentType]).toEqual([200, 'application/json'])
    expect(JSON.parse(body)).toEqual({
      phase: 'running',
      degraded: ['network:half', 'network:down', 'store', 'ipfs'],
      networks: {
        up: {
          state: 'ok',
          upstreams: [
            { name: 'a', state: 'ok' },
            { name: 'b', state: 'ok' },
          ],
        },
        half: {
          state: 'degraded',
          upstreams: [
            { name: 'a', state: 'ok' },
            { name: 'b', state: 'down', reason: 'no answer' },
          ],
        },
        down: {
          state: 'down',
          since: expect.any(Number),
          upstreams: [
            { name: 'a', state: 'down', reason: 'no answer' },
            { name: 'b', state: 'down', reason: 'another chain' },
          ],
        },
      },
      store: { kind: 'sqlite', state: 'down', reason: 'its disk is full' },
      ipfs: { state: 'down', reason: 'the backend does not answer' },
    })
  })

  it('tells since when a network cannot be served, until it can be', async () => {
    let isUp = false
    const probe = () => lookAt(Promise.resolve([state('a', isUp ? undefined : 'no answer')]))
    const { clock, health } = start({ networks: [{ name: 'mainnet', probe }] })
    const since = async () => {
      const { body } = await health.status(undefined)
      return (JSON.parse(body) as { networks: Record<string, { since?: number }> }).networks['mainnet']!.since
    }
    const first = clock.date()
    expect(await since()).toBe(first)
    clock.advance(60_000)
    expect(await since()).toBe(first)
    isUp = true
    expect(await since()).toBeUndefined()
    isUp = false
    expect(await since()).toBe(first + 60_000)
  })

  it('tells of a backend that serves, and takes nothing new', async () => {
    const { gauges, health } = start({ ipfs: part('ipfs', noRoom) })
    const { body } = await health.status(undefined)
    const reported = { degraded: ['ipfs'], ipfs: { state: 'degraded', reason: 'takes nothing new' } }
    expect(JSON.parse(body)).toMatchObject(reported)
    expect(gauges).toMatchObject({ ipfs: 1 })
  })

  it('tells of one network alone where that is asked', async () => {
    const { health } = start({ ...all, networks: [up, half, hanging] })
    const { body } = await health.status('half')
    expect(JSON.parse(body)).toMatchObject({ degraded: ['network:half'], networks: { half: { state: 'degraded' } } })
    expect(Object.keys(JSON.parse(body).networks)).toEqual(['half'])
    expect(await health.status('nowhere')).toMatchObject({ status: 404, body: '{"error":"no such network"}\n' })
  })

  it('has no IPFS where that is not served, and a store in memory', async () => {
    const { body } = await start({ networks: [up] }).health.status(undefined)
    expect(JSON.parse(body)).toMatchObject({ degraded: [], store: { kind: 'memory', state: 'ok' } })
    expect(JSON.parse(body)).not.toHaveProperty('ipfs')
  })

  it('is told by gauges, too, which forget after a minute what nobody looks at', async () => {
    const { clock, gauges, health } = start({ ...all, networks: [up, half], store: goneStore })
    health.measure()
    expect(gauges).toEqual({ store: 1 })
    await health.status(undefined)
    clock.advance(60_000)
    health.measure()
    expect(gauges).toEqual({ store: 1, ipfs: 1, 'network:up': 0, 'network:half': 1 })
    await health.status('half')
    clock.advance(1)
    health.measure()
    expect(gauges).toEqual({ store: 1, ipfs: Number.NaN, 'network:up': Number.NaN, 'network:half': 1 })
  })
})

it('tells nothing more of a network that is removed, also while it is looked at', async () => {
  const networks = [up, half]
  const { clock, gauges, health } = start({ networks })
  await health.status(undefined)
  const looking = health.status('half')
  networks.pop()
  delete gauges['network:half']
  await looking
  clock.advance(60_001)
  health.measure()
  expect(gauges).toStrictEqual({ store: 0, 'network:up': Number.NaN })
})

it('tells limits that fell to a share, and stays ready', async () => {
  const limits = { fault: () => 'redis is gone', replicas: 2 }
  const { health, gauges } = start({ networks: [up], limits })
  expect(JSON.parse((await health.status(undefined)).body as string)).toMatchObject({
    degraded: expect.arrayContaining(['limits']),
    limits: { state: 'share', reason: 'redis is gone', replicas: 2 },
  })
  expect((await health.readiness(false)).status).toBe(200)
  health.measure()
  expect(gauges['limits']).toBe(1)
})

it('tells that the Redis of the cache is gone, and stays ready', async () => {
  const { health, gauges } = start({ networks: [up], cache: { fault: () => 'cannot be reached' } })
  expect(JSON.parse((await health.status(undefined)).body as string)).toMatchObject({
    degraded: ['cache'],
    cache: { state: 'down', reason: 'cannot be reached' },
  })
  expect((await health.readiness(false)).status).toBe(200)
  health.measure()
  expect(gauges['cache']).toBe(1)
})

it('tells that the spool of usage takes nothing, and how many calls a crash would lose', async () => {
  const usage = { waitingRows: 2, droppedCalls: 1, unsafeCalls: 7, spoolFault: () => 'its disk is full' }
  const { health, gauges } = start({ networks: [up], usage })
  const { body } = await health.status(undefined)
  expect(JSON.parse(String(body))).toMatchObject({
    degraded: ['usage'],
    usage: { waitingRows: 2, droppedCalls: 1, unsafeCalls: 7, spool: { state: 'down', reason: 'its disk is full' } },
  })
  health.measure()
  expect(gauges['usage']).toBe(1)
})
