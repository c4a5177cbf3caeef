import type { Traffic } from '@wayleave/admin-api'
import { realSurroundings } from '@wayleave/gateway'
import { rawJsonFromValue, systemClock } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it, onTestFinished } from 'vitest'
import { createSeriesMirror } from '@wayleave/telemetry'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { createTraffic } from '../../src/telemetry/traffic.ts'
import { frame, key, send, startNode } from '../support.ts'
import { startConsole, token } from '../console/support.ts'

const call = { project: 'p', class: 'read', outcome: 'ok', status: 200, ms: 20 } as const

function begin(start = 4_000) {
  // Its date is a whole minute and `start`.
  const clock = new FakeClock(start + 40_000)
  const metrics = createMetrics()
  const traffic = createTraffic({ metrics, clock })
  const network = metrics.network('mainnet')
  return { clock, metrics, traffic, network, all: (step: 10_000 | 60_000) => traffic.points(step, 0, 1e15) }
}

it('sets no timer before it begins, and none after it is closed', () => {
  const { clock, traffic } = begin()
  expect(clock.timers).toBe(0)
  traffic.begin()
  expect(clock.timers).toBe(1)
  clock.advance(100_000)
  expect(clock.timers).toBe(1)
  traffic.close()
  expect(clock.timers).toBe(0)
})

it('counts what came in each step, from its beginning on, and what is open at its end', () => {
  const { clock, metrics, traffic, network, all } = begin()
  network.called(call)
  traffic.begin()
  expect(traffic.since).toBe(clock.date())
  for (let i = 0; i < 90; i++) network.called(call)
  for (const outcome of ['upstream', 'gateway', 'limited', 'caller', 'execution'] as const) {
    network.called({ ...call, outcome, status: 503, ms: 400 })
  }
  metrics.cacheAnswered('mainnet', 'hit', 'read', 5)
  metrics.cacheAnswered('mainnet', 'hit', 'read', 5)
  metrics.cacheAnswered('mainnet', 'miss', 'read', 0)
  network.connections(1)
  network.connections(1)
  metrics.eventStreams('mainnet').add(1)
  clock.advance(6_000)
  const at = clock.date() - 10_000
  expect(at % 10_000).toBe(0)
  const [first] = all(10_000)
  expect(first).toEqual({
    at,
    calls: 95,
    errors: 2,
    p50: expect.any(Number),
    p99: expect.any(Number),
    cacheHits: 2,
    cacheAsked: 3,
    sockets: 2,
    streams: 1,
  })
  // The bounds of the buckets that they are in.
  expect(first!.p50).toBeGreaterThan(10)
  expect(first!.p50).toBeLessThanOrEqual(25)
  expect(first!.p99).toBeGreaterThan(250)
  expect(first!.p99).toBeLessThanOrEqual(500)
  network.connections(-1)
  clock.advance(10_000)
  const [, second] = all(10_000)
  expect(second).toEqual({
    at: at + 10_000,
    calls: 0,
    errors: 0,
    cacheHits: 0,
    cacheAsked: 0,
    sockets: 1,
    streams: 1,
  })
})

it('has the times of all calls of the steps that are asked for, not those of the last one', () => {
  const { clock, traffic, network } = begin()
  traffic.begin()
  for (let i = 0; i < 99; i++) network.called({ ...call, ms: 2_000 })
  clock.advance(6_000)
  network.called({ ...call, ms: 0.5 })
  clock.advance(10_000)
  const { p50, p99 } = traffic.times(10_000, 0, 1e15)
  expect(p50).toBeGreaterThan(1_000)
  expect(p99).toBeGreaterThan(1_000)
  expect(traffic.times(10_000, clock.date() - 10_000, 1e15).p99).toBeLessThanOrEqual(1)
  expect(traffic.times(10_000, 0, 1)).toEqual({})
})

it('tells how many calls are open, how long the oldest has been, and on which network', () => {
  const { clock, metrics, traffic, network } = begin()
  metrics.watchOpenCalls(clock)
  expect(traffic.open()).toEqual({ calls: 0 })
  const first = network.open.begin(clock.now())
  clock.advance(20_000)
  const second = network.open.begin(clock.now())
  metrics.network('other').open.begin(clock.now() - 3_000)
  clock.advance(10_000)
  expect(traffic.open()).toEqual({ calls: 3, oldestMs: 30_000, network: 'mainnet' })
  network.open.end(first)
  expect(traffic.open()).toEqual({ calls: 2, oldestMs: 13_000, network: 'other' })
  network.open.end(second)
  expect(metrics.print()).toContain('wayleave_oldest_call_seconds{network="mainnet"} 0')
})

it('adds the open calls of workers to its own, and has the age of the oldest of all', () => {
  const { clock, metrics, traffic, network } = begin()
  const worker = createMetrics()
  for (const each of [metrics, worker]) each.watchOpenCalls(clock)
  const mirror = createSeriesMirror()
  metrics.watchWorkers({
    mirrors: () => [mirror],
    states: () => ({ starting: 0, serving: 1, draining: 0 }),
    restarts: () => 0,
  })
  worker.network('mainnet').open.begin(clock.now() - 5_000)
  network.open.begin(clock.now() - 1_000)
  mirror.apply(worker.changes())
  expect(traffic.open()).toEqual({ calls: 2, oldestMs: 5_000, network: 'mainnet' })
})

it('adds the steps of a minute, whose times are those of all its calls', () => {
  const { clock, traffic, network, all } = begin()
  traffic.begin()
  clock.advance(60_000)
  const known = all(60_000).length
  for (let i = 0; i < 6; i++) {
    for (let n = 0; n <= i; n++) network.called({ ...call, ms: i === 5 ? 2_000 : 2 })
    clock.advance(10_000)
  }
  clock.advance(60_000)
  const minutes = all(60_000).slice(known)
  expect(minutes.every(({ at }) => at % 60_000 === 0)).toBe(true)
  expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(21)
  const steps = all(10_000).filter(({ at }) => at >= minutes[0]!.at && at < minutes[0]!.at + 60_000)
  expect(minutes[0]!.calls).toBe(steps.reduce((sum, { calls }) => sum + calls, 0))
  expect(minutes[0]!.p50).toBeLessThanOrEqual(2.5)
})

it('keeps an hour of steps and a day of minutes, and gives the part that is asked for', () => {
  const { clock, traffic, all } = begin()
  traffic.begin()
  clock.advance(2 * 86_400_000)
  const [steps, minutes] = [all(10_000), all(60_000)]
  expect([steps.length, minutes.length]).toEqual([360, 1_440])
  expect(steps.at(-1)!.at - steps[0]!.at).toBe(3_590_000)
  expect(minutes.at(-1)!.at - minutes[0]!.at).toBe(86_340_000)
  const { at } = steps[100]!
  expect(traffic.points(10_000, at, at + 30_000).map((each) => each.at)).toEqual([at, at + 10_000, at + 20_000])
  expect(traffic.points(10_000, at + 1, at + 1)).toEqual([])
})

it('counts on where the clock is set or a timer comes late, each call once', () => {
  const { clock, traffic, network, all } = begin()
  let shift = 0
  const shifted = { date: () => clock.date() + shift, after: clock.after.bind(clock) }
  const metrics = createMetrics()
  const moved = createTraffic({ metrics, clock: shifted })
  traffic.begin()
  moved.begin()
  const other = metrics.network('mainnet')
  let reported = 0
  for (const by of [0, 35_000, -3_600_000, 700, -700, 86_400_000, 0]) {
    shift += by
    for (let i = 0; i < 3; i++) {
      other.called(call)
      reported++
      clock.advance(10_000)
    }
  }
  clock.advance(20_000)
  const steps = moved.points(10_000, 0, 1e15)
  expect(steps.reduce((sum, { calls }) => sum + calls, 0)).toBe(reported)
  expect(steps.every(({ at }) => at % 10_000 === 0)).toBe(true)
  network.called(call)
  expect(all(10_000)).toHaveLength(23)
})

it('sums over workers, those that have ended included, and begins anew with a network that comes again', () => {
  const { clock, metrics, traffic, network, all } = begin()
  const ended = createSeriesMirror()
  const counted = createMetrics()
  const mirror = createSeriesMirror()
  let mirrors = [ended, mirror]
  metrics.watchWorkers({
    mirrors: () => mirrors,
    states: () => ({ starting: 0, serving: 1, draining: 0 }),
    restarts: () => 0,
  })
  traffic.begin()
  const step = (): number => {
    mirror.apply(counted.changes())
    clock.advance(10_000)
    return all(10_000).at(-1)!.calls
  }
  clock.advance(6_000)
  network.called(call)
  for (let i = 0; i < 5; i++) counted.network('mainnet').called(call)
  counted.network('mainnet').connections(1)
  expect([step(), all(10_000).at(-1)!.sockets]).toEqual([6, 1])
  counted.network('mainnet').called(call)
  expect(step()).toBe(1)
  ended.adopt(mirror)
  mirrors = [ended]
  network.called(call)
  expect([step(), all(10_000).at(-1)!.sockets]).toEqual([1, 0])
  metrics.forgetNetwork('mainnet')
  expect(step()).toBe(0)
  metrics.network('mainnet').called(call)
  expect(step()).toBe(1)
})

it('is told by a running gateway, of its own calls', async () => {
  // Its clock is two seconds before the end of a step.
  const ahead = 8_000 - (Date.now() % 10_000)
  const clock = { ...systemClock, date: () => Date.now() + ahead }
  const { gateway, call: callOnce } = await startConsole({ token }, { surroundings: { ...realSurroundings, clock } })
  const headers = { authorization: `Bearer ${token}` }
  const ask = async (query = '') => {
    const { status, body } = await send(gateway.admin, `/admin/v1/traffic${query}`, { headers })
    return { status, ...(JSON.parse(body) as Partial<Traffic>) }
  }
  expect(await ask()).toMatchObject({ status: 200, step: 10_000, since: expect.any(Number), items: [] })
  await callOnce('eth_gasPrice', 3)
  await send(gateway.rpc, `/v3/${key}x`, { body: '{}' })
  const reported = async () => (await ask()).items!.reduce((sum, { calls }) => sum + calls, 0)
  await expect.poll(reported, { timeout: 20_000 }).toBe(3)
  expect((await ask('?step=60000')).step).toBe(60_000)
  expect((await ask(`?from=${clock.date() - 7_200_000}`)).step).toBe(60_000)
  for (const query of ['?step=1000', '?from=5&to=4', '?from=-1']) expect((await ask(query)).status).toBe(422)
})

it('is told of calls that no node answers while they wait, over HTTP and WebSocket, and no more once they have ended', async () => {
  const { promise: allowed, resolve: allow } = Promise.withResolvers<void>()
  const node = await startNode(async (request) => {
    await allowed
    return { result: rawJsonFromValue(request.method) }
  })
  onTestFinished(() => node.close())
  const upstreams = [node.url]
  const { gateway } = await startConsole(
    { token },
    {},
    { networks: { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: false } } },
  )
  const headers = { authorization: `Bearer ${token}` }
  const open = async () =>
    (JSON.parse((await send(gateway.admin, '/admin/v1/traffic', { headers })).body) as Traffic).open
  expect(await open()).toEqual({ calls: 0 })
  const posted = send(gateway.rpc, `/v3/${key}`, { body: frame('eth_gasPrice') })
  const socket = new WebSocket(`${gateway.rpc.replace('http', 'ws')}/ws/v3/${key}`)
  onTestFinished(() => socket.close())
  socket.addEventListener('open', () => socket.send(frame('eth_blockNumber')))
  await expect.poll(open).toMatchObject({ calls: 2, network: 'mainnet' })
  const { oldestMs } = await open()
  await expect.poll(async () => (await open()).oldestMs).toBeGreaterThan(oldestMs!)
  allow()
  expect((await posted).status).toBe(200)
  await expect.poll(open).toEqual({ calls: 0 })
})
