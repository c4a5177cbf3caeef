import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { realSurroundings } from '@wayleave/gateway'
import type { AdminEvents } from '@wayleave/admin-api'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveEvents } from '../../src/admin/event-stream.ts'
import { createLiveCalls } from '../../src/trace/live-calls.ts'
import { createCallRecorder } from '../../src/trace/recorder.ts'
import { frame, key, send, until } from '../support.ts'
import { startConsole, token } from './support.ts'
import { bearer, follow } from './tail.ts'

describe('the live tail', () => {
  it('tells calls as they end, without params or keys, and by the process that they came to', async () => {
    const { gateway, call } = await startConsole()
    const tail = await follow(gateway.admin)
    const before = Date.now()
    const params = [{ to: '0x00000000000000000000000000000000000000aa' }]
    const { headers } = await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_estimateGas', params) })
    await call('admin_peers')
    await send(gateway.rpc, '/v3/a-key-that-nobody-has', { body: frame('eth_gasPrice') })
    await until(() => tail.calls.length === 3)
    const [answered, denied, refused] = tail.calls
    expect(answered).toEqual({
      id: headers['x-trace-id'],
      time: expect.any(Number),
      network: 'mainnet',
      method: 'eth_estimateGas',
      project: 'open',
      keyId: expect.stringMatching(/^[0-9a-f]{8}$/),
      outcome: 'answered',
      ms: expect.any(Number),
      upstream: 'upstream-1',
      process: expect.stringMatching(new RegExp(`:${process.pid}$`)),
    })
    expect(answered!.time).toBeGreaterThanOrEqual(before - 1)
    expect(answered!.time).toBeLessThanOrEqual(Date.now() + 1)
    expect(denied).toMatchObject({ method: 'admin_peers', outcome: 'refused', cause: expect.any(String), attempts: [] })
    expect(refused).toMatchObject({ outcome: 'refused', code: 401, cause: expect.stringContaining('401') })
    expect(refused).not.toHaveProperty('network')
    expect(JSON.stringify(tail.calls)).not.toMatch(new RegExp(`0000aa|${key}|a-key-that-nobody-has|http:`))
    const { body } = await send(gateway.admin, `/explain/${answered!.id}`, { headers: bearer })
    expect(JSON.parse(body).calls).toMatchObject([{ method: 'eth_estimateGas', ms: expect.any(Number) }])
  })

  it('begins with the last hundred calls that its reader wants, in their order', async () => {
    const { gateway, call } = await startConsole()
    for (let i = 0; i < 103; i++) await call('eth_gasPrice')
    await call('admin_peers')
    const [all, denied] = [await follow(gateway.admin), await follow(gateway.admin, '?outcome=refused')]
    await until(() => all.calls.length >= 100 && denied.calls.length > 0)
    expect(all.calls).toHaveLength(100)
    expect(all.calls.at(-1)).toMatchObject({ method: 'admin_peers', outcome: 'refused', cause: expect.any(String) })
    const times = all.calls.map(({ time }) => time)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(denied.calls.map(({ method }) => method)).toEqual(['admin_peers'])
    await call('eth_chainId')
    await until(() => all.calls.length === 101)
    expect(denied.calls).toHaveLength(1)
  })

  it('tells attempts and the cause of a call that went badly', async () => {
    const dead = 'http://127.0.0.1:1'
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [dead], followHeads: false } } as const
    const { gateway, call } = await startConsole({ token }, {}, { networks })
    const tail = await follow(gateway.admin, '?outcome=failed')
    await call()
    await until(() => tail.calls.length === 1)
    expect(tail.calls[0]).toMatchObject({
      outcome: 'failed',
      cause: expect.stringContaining('upstream-1 could not be reached'),
      attempts: [{ upstream: 'upstream-1', atMs: expect.any(Number), isHedge: false, outcome: 'unreachable' }],
    })
    expect(tail.calls[0]!.attempts![0]).not.toHaveProperty('text')
  })

  it.each([
    ['?method=eth_chainId', ['eth_chainId']],
    ['?network=mainnet&project=open', ['eth_gasPrice', 'eth_chainId', 'admin_peers']],
    ['?outcome=refused&project=open', ['admin_peers']],
    ['?network=other', []],
    ['?project=other', []],
    ['?minMs=60000', []],
  ])('with %s tells what is asked for, and nothing else', async (query, methods) => {
    const { gateway, call } = await startConsole()
    const [all, tail] = [await follow(gateway.admin), await follow(gateway.admin, query)]
    for (const method of ['eth_gasPrice', 'eth_chainId', 'admin_peers']) await call(method)
    await send(gateway.rpc, '/v3/a-key-that-nobody-has', { body: frame('eth_gasPrice') })
    await until(() => all.calls.length === 4)
    await until(() => tail.calls.length >= methods.length)
    expect(tail.calls.map(({ method }) => method)).toEqual(methods)
  })

  it.each(['?minMs=-1', '?minMs=1.5', '?outcome=bad', '?colour=red', '?network=a&network=b', '?network='])(
    'refuses %s',
    async (query) => {
      const { gateway } = await startConsole()
      expect((await follow(gateway.admin, query)).status).toBe(422)
    },
  )

  it('has twenty readers at most, and room for another once one leaves', async () => {
    const { gateway, call } = await startConsole()
    const tails = await Promise.all(Array.from({ length: 20 }, () => follow(gateway.admin)))
    expect(tails.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect((await follow(gateway.admin)).status).toBe(503)
    const head = await send(gateway.admin, '/admin/v1/calls/live', { method: 'HEAD', headers: bearer })
    expect(head.status).toBe(503)
    tails[0]!.leave()
    await expect.poll(async () => (await follow(gateway.admin)).status).toBe(200)
    await call()
    await until(() => tails.slice(1).every(({ calls }) => calls.length === 1))
  })

  it('tells two hundred calls an event at most, and how many more there were', async () => {
    const { gateway } = await startConsole()
    const tail = await follow(gateway.admin)
    const batch = JSON.stringify(
      Array.from({ length: 1_000 }, (_, i) => ({ jsonrpc: '2.0', id: i, method: 'eth_gasPrice', params: [] })),
    )
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(gateway.rpc, `/v3/${key}`, { body: batch })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await until(() => tail.calls.length + tail.dropped === 4_000)
    expect(tail.dropped).toBeGreaterThan(0)
    expect(Math.max(...tail.sizes)).toBe(200)
  })

  it('ends with the session that reads it, and with a reload that takes rights away', async () => {
    const { gateway, ask, signIn, reload } = await startConsole()
    const [first, second] = [await signIn(), await signIn()]
    const tails = [
      await follow(gateway.admin, '', first),
      await follow(gateway.admin, '', second),
      await follow(gateway.admin),
    ]
    await ask('/console/session', { method: 'DELETE', headers: first })
    await until(() => tails[0]!.hasEnded)
    expect(tails.slice(1).map(({ hasEnded }) => hasEnded)).toEqual([false, false])
    await reload({ token: 'another-admin-token-of-the-tests' })
    await until(() => tails.every(({ hasEnded }) => hasEnded))
  })

  it('needs the scope read, and ends with the gateway at once', async () => {
    const { gateway } = await startConsole()
    expect((await follow(gateway.admin, '', {})).status).toBe(401)
    const tail = await follow(gateway.admin)
    await gateway.close()
    await until(() => tail.hasEnded)
  })

  it('does not listen while nobody reads', () => {
    const { clock } = realSurroundings
    const taps: boolean[] = []
    const recorder = { ...createCallRecorder({ clock }), tap: (tap: unknown) => void taps.push(tap !== undefined) }
    const live = createLiveCalls({ recorder, process: 'a:1', clock })
    const sink = { send: () => true, end: () => {} }
    const leave = [live.follow({}, sink), live.live({})!(sink)]
    expect(taps).toEqual([true])
    leave[0]!()
    leave[0]!()
    expect(taps).toEqual([true])
    leave[1]!()
    expect(taps).toEqual([true, false])
  })
})

describe('a reader who takes nothing', () => {
  /** A stream of one event after the other, as fast as it takes them, over a real socket. */
  async function begin(events: AdminEvents, mayStay = () => true) {
    const clock = new FakeClock()
    const server = createServer((request, response) => {
      response.writeHead(200)
      unsent = () => response.writableLength
      serveEvents(request, response, { events, mayStay, clock })
    })
    let unsent = (): number => 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const tail = await follow(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return { clock, tail, unsent: () => unsent() }
  }

  it('is sent nothing more until he reads, and then all that was taken for him', async () => {
    const call = { id: 'x'.repeat(100_000) }
    let taken = 0
    let report = (): boolean => false
    const { tail, unsent } = await begin((sink) => {
      report = () => sink.send('calls', [call])
      return () => {}
    })
    tail.pause()
    // The system takes some megabytes before it is full.
    await expect
      .poll(() => {
        while (report()) taken++
        return unsent()
      })
      .toBeGreaterThan(262_144)
    const more = Array.from({ length: 1_000 }, report)
    expect(more.every((wasTaken) => !wasTaken)).toBe(true)
    expect(unsent()).toBeLessThan(500_000)
    tail.resume()
    await until(() => tail.calls.length === taken)
    expect(report()).toBe(true)
  })

  it('is cut off after a minute of that, and a quiet one is kept by comments', async () => {
    let report = (): boolean => false
    let ends = 0
    const { clock, tail, unsent } = await begin((sink) => {
      report = () => sink.send('calls', [{ id: 'x'.repeat(100_000) }])
      return () => void ends++
    })
    clock.advance(30_000)
    await until(() => tail.comments === 2)
    tail.pause()
    await expect
      .poll(() => {
        while (report());
        return unsent()
      })
      .toBeGreaterThan(262_144)
    clock.advance(59_000)
    expect(ends).toBe(0)
    clock.advance(2_000)
    await until(() => ends === 1)
    expect([report(), clock.timers]).toEqual([false, 0])
    tail.resume()
    await until(() => tail.hasEnded)
  })

  it('is told how many calls he has missed, and costs no memory for them', () => {
    const clock = new FakeClock()
    const recorder = createCallRecorder({ clock })
    const live = createLiveCalls({ recorder, process: 'a:1', clock })
    const reported: unknown[] = []
    let hasRoom = false
    const take = (event: string, data: unknown): boolean => {
      if (hasRoom) reported.push(event === 'calls' ? (data as unknown[]).length : data)
      return hasRoom
    }
    const leave = live.follow({}, { send: take, end: () => {} })
    for (let second = 0; second < 10; second++) {
      for (let at = 0; at < 100; at++) recorder.refused({ id: `${at}`, at, status: 401, message: 'no' })
      clock.advance(1_000)
    }
    expect([reported, clock.timers]).toEqual([[], 1])
    hasRoom = true
    clock.advance(100)
    expect([reported, clock.timers]).toEqual([[{ count: 1_000 }], 0])
    leave()
  })
})
