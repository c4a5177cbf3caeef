import { RpcError, rawJsonFromText, systemClock, type Clock } from '@wayleave/jsonrpc-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { key, rawConnection, send, sleep, until } from '../../support.ts'
import {
  type Chain,
  createChain,
  type EventReader,
  mine,
  myLogs,
  openEvents,
  type ServerEvent,
  startServer,
  type ReportedLog,
} from './support.ts'

const ofLogs = `type=logs&address=${mine}`
const hashesOf = ({ events }: EventReader): string[] =>
  events.map(({ data }) => (JSON.parse(data) as { hash: string }).hash)
const endOf = ({ events }: EventReader): unknown => JSON.parse(events.find(({ type }) => type === 'end')!.data)

/** A caller's list of logs, which only grows or shrinks at its end. */
function createList() {
  const list: ReportedLog[] = []
  const take = ({ type, data }: ServerEvent): void => {
    if (type !== 'logs') return
    const log = JSON.parse(data) as ReportedLog
    if (log.removed) expect(list.pop()).toEqual({ ...log, removed: false })
    else {
      expect(list).not.toContainEqual(log)
      list.push(log)
    }
  }
  return { list, take }
}

/** A clock on which comments are due every 30 ms. */
const quick: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms === 15_000 ? 30 : ms, run) }

/** Lets streams that were opened come to the chain's head. */
async function begun(reader: EventReader): Promise<EventReader> {
  await until(() => reader.lastEventId !== '')
  return reader
}

describe('a stream of events', () => {
  it('tells heads, each with its hash as id, and at first the place where it begins', async () => {
    const chain = createChain()
    const { url, metrics } = await startServer(chain)
    const reader = await begun(await openEvents(`${url}?type=newHeads`))
    expect(reader.response.headers.get('content-type')).toBe('text/event-stream')
    expect(reader.response.headers.get('cache-control')).toBe('no-store')
    expect([reader.lastEventId, reader.events]).toEqual([chain.head.hash, []])
    expect(reader.retryMs).toBeGreaterThanOrEqual(1_000)
    const heads = [chain.grow(0), chain.grow(0)]
    await until(() => reader.events.length === 2)
    expect(hashesOf(reader)).toEqual(heads.map(({ hash }) => hash))
    expect(reader.events.map(({ type, lastEventId }) => [type, lastEventId])).toEqual(
      heads.map(({ hash }) => ['newHeads', hash]),
    )
    expect(metrics.print()).toContain('wayleave_event_streams{network="mainnet"} 1')
    reader.leave()
    await until(() => metrics.print().includes('wayleave_event_streams{network="mainnet"} 0'))
    await until(() => chain.watchers === 0)
  })

  it('tells the heads after the last one that was told', async () => {
    const chain = createChain()
    const { url } = await startServer(chain)
    const { hash } = chain.grow(0)
    const missed = [chain.grow(0), chain.grow(0)]
    const readers = await Promise.all([
      openEvents(`${url}?type=newHeads`, hash),
      openEvents(`${url}?type=newHeads&lastEventId=${hash}`),
      openEvents(`${url}?type=newHeads&fromHash=${hash}`),
      openEvents(`${url}?type=newHeads&fromBlock=102`),
    ])
    for (const reader of readers) {
      await until(() => reader.events.length === 2)
      expect(hashesOf(reader)).toEqual(missed.map((block) => block.hash))
      reader.leave()
    }
  })

  it('goes on in the middle of a block', async () => {
    const chain = createChain()
    const { url } = await startServer(chain)
    const { list, take } = createList()
    const first = await begun(
      await openEvents(`${url}?${ofLogs}`, '', (event) => {
        take(event)
        return list.length < 2
      }),
    )
    chain.grow(3)
    await first.ended
    expect(first.lastEventId).toBe(`${chain.head.hash}:3@101`)
    expect(list).toHaveLength(2)
    const second = await openEvents(`${url}?${ofLogs}`, first.lastEventId, (event) => (take(event), true))
    await until(() => list.length === 3)
    chain.grow(1)
    await until(() => list.length === 4)
    expect(list).toEqual(myLogs(chain))
    second.leave()
  })

  it('takes back of a block that was replaced meanwhile what its caller was told, and no more', async () => {
    const chain = createChain()
    const { url } = await startServer(chain)
    const { list, take } = createList()
    const first = await begun(
      await openEvents(`${url}?${ofLogs}`, '', (event) => {
        take(event)
        return list.length < 2
      }),
    )
    const { hash } = chain.grow(3)
    await first.ended
    chain.reorg(1)
    const second = await openEvents(`${url}?${ofLogs}`, first.lastEventId, (event) => (take(event), true))
    await until(() => second.events.length === 4)
    const logs = second.events.map(({ data }) => JSON.parse(data) as ReportedLog)
    expect(logs.map(({ removed, blockHash }) => removed && blockHash === hash)).toEqual([true, true, false, false])
    expect(list).toEqual(myLogs(chain))
    second.leave()
  })

  it('takes back nothing of the time before it began', async () => {
    const chain = createChain()
    const { url } = await startServer(chain)
    chain.grow(2)
    const first = await begun(await openEvents(`${url}?${ofLogs}`))
    first.leave()
    chain.reorg(1)
    const second = await openEvents(`${url}?${ofLogs}`, first.lastEventId)
    await until(() => second.events.length === 2)
    expect(second.events.map(({ data }) => (JSON.parse(data) as ReportedLog).removed)).toEqual([false, false])
    second.leave()
  })

  it('moves its id on with the chain while no log comes', async () => {
    const chain = createChain()
    const { url, asked } = await startServer(chain, { clock: quick })
    const reader = await begun(await openEvents(`${url}?type=logs&address=0x${'9'.repeat(40)}`))
    const began = chain.head.number
    for (let i = 0; i < 20; i++) chain.grow(1)
    await until(() => reader.lastEventId === `${chain.head.hash}@${began + 1}`)
    await until(() => reader.comments > 1)
    expect(reader.events).toEqual([])
    reader.leave()
    asked.length = 0
    const again = await openEvents(`${url}?${ofLogs}`, reader.lastEventId)
    chain.grow(1)
    await until(() => again.events.length === 1)
    // Nothing of the twenty blocks is asked for anew.
    expect(asked.filter((line) => line.startsWith('eth_getLogs'))).toHaveLength(1)
    again.leave()
  })

  it('ends with an event that tells why, and from where to go on', async () => {
    const chain = createChain()
    const { url, state } = await startServer(chain)
    const reader = await begun(await openEvents(`${url}?${ofLogs}`))
    chain.grow(1)
    await until(() => reader.events.length === 1)
    await until(() => state.ends.size === 1)
    for (const end of state.ends) end(new RpcError('unavailable', 'an upstream said something'))
    await reader.ended
    expect(endOf(reader)).toMatchObject({
      error: { code: -32603, message: expect.any(String), data: { traceId: expect.any(String) } },
      lastEventId: reader.lastEventId,
    })
    expect(reader.events.at(-1)!.data).not.toContain('an upstream said')
  })

  it('ends after a time without events', async () => {
    const chain = createChain()
    const { url } = await startServer(chain, { clock: quick, webSocketIdleMs: 100 })
    const reader = await openEvents(`${url}?${ofLogs}`)
    await reader.ended
    expect(endOf(reader)).toMatchObject({ error: { message: 'nothing was sent for too long' } })
  })

  it('ends within bounds where its reader takes nothing, and gives back what it held', async () => {
    const chain = createChain()
    const { base, budget, fanOut } = await startServer(chain, { maxHeldBytes: 2_000_000 })
    const connection = rawConnection(base)
    connection.send(`GET /v3/${key}/events?type=logs HTTP/1.1\r\nHost: a\r\n\r\n`)
    await connection.saw(/retry: /)
    await until(() => fanOut.size === 1)
    connection.socket.pause()
    // What the kernel takes of the first ones is held for a moment only.
    for (let i = 0; i < 200 && fanOut.size === 1; i++) {
      chain.grow(500)
      expect(budget.held).toBeLessThanOrEqual(2_000_000)
      await sleep(20)
    }
    await until(() => fanOut.size === 0)
    connection.socket.resume()
    const text = await connection.saw(/event: end\n/)
    const [, id] = /event: end\nid: (.*)\n/.exec(text)!
    // The place is that of the last log that was sent.
    expect([...text.matchAll(/^event: logs\nid: (.*)\n/gm)].at(-1)![1]).toBe(id)
    expect(text).toContain('limits.maxHeldBytes')
    connection.socket.destroy()
    await until(() => budget.held === 0)
  })

  it('gives back what it held where its key ends before its turn on the connection has come', async () => {
    const chain = createChain()
    const { base, budget, sessions, network } = await startServer(chain)
    const { server } = network
    const answered = Promise.withResolvers<void>()
    const late = async (...[body, context]: Parameters<typeof server>): ReturnType<typeof server> => {
      if (Buffer.from(body).includes('eth_late')) await answered.promise
      return server(body, context)
    }
    Object.assign(network, { server: late })
    const connection = rawConnection(base)
    const call = '{"jsonrpc":"2.0","id":1,"method":"eth_late"}'
    connection.send(`POST /v3/${key} HTTP/1.1\r\nHost: a\r\nContent-Length: ${call.length}\r\n\r\n${call}`)
    connection.send(`GET /v3/${key}/events?type=logs HTTP/1.1\r\nHost: a\r\n\r\n`)
    await until(() => chain.watchers > 0)
    chain.grow(100)
    await until(() => budget.held > 10_000)
    sessions.revoke({ kind: 'revoked', projectId: 'p', keyId: undefined })
    await until(() => chain.watchers === 0)
    connection.socket.destroy()
    await until(() => budget.held === 0)
    answered.resolve()
  })

  it('ends within a second of its key', async () => {
    const chain = createChain()
    const { url, sessions } = await startServer(chain)
    const reader = await begun(await openEvents(`${url}?${ofLogs}`))
    sessions.revoke({ kind: 'revoked', projectId: 'p', keyId: undefined })
    await reader.ended
    expect(endOf(reader)).toMatchObject({ error: { code: -32002 }, lastEventId: reader.lastEventId })
  })

  it('ends with the gateway, in parts, each reader with a wait of its own', async () => {
    const chain = createChain()
    const { url, events } = await startServer(chain)
    const readers = await Promise.all(
      Array.from({ length: 30 }, async () => begun(await openEvents(`${url}?${ofLogs}`))),
    )
    events.endStreams()
    await Promise.race(readers.map(({ ended }) => ended))
    // The last ones are told a log before they end.
    chain.grow(1)
    await Promise.all(readers.map(({ ended }) => ended))
    expect(readers.filter((reader) => reader.events.some(({ type }) => type === 'logs')).length).toBeGreaterThan(0)
    for (const reader of readers) {
      expect(endOf(reader)).toMatchObject({ error: { message: 'the gateway is closing: connect again' } })
    }
    expect(new Set(readers.map(({ retryMs }) => retryMs)).size).toBe(30)
    expect((await fetch(`${url}?${ofLogs}`)).status).toBe(503)
  })
})

const step = fc.record({
  kind: fc.constantFrom('grow' as const, 'grow' as const, 'reorg' as const),
  count: fc.integer({ min: 1, max: 4 }),
  logs: fc.integer({ min: 0, max: 3 }),
  /** Events after which the connection is lost. */
  cut: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  isAway: fc.boolean(),
})

describe('a reader whose connection is lost again and again', () => {
  it('has each log of the canonical chain once, in order', async () => {
    const play = (
      chain: Chain,
      { kind, count, logs }: { kind: 'grow' | 'reorg'; count: number; logs: number },
    ): void => {
      if (kind === 'reorg') chain.reorg(Math.min(count, chain.head.number - 100), logs)
      else for (let i = 0; i < count; i++) chain.grow(logs)
    }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        const chain = createChain()
        const { url, server } = await startServer(chain)
        const { list, take } = createList()
        let left = 0
        const open = async (id: string): Promise<{ reader: EventReader; isOpen: boolean }> => {
          const reader = await openEvents(`${url}?${ofLogs}`, id, (event) => {
            take(event)
            return --left !== 0
          })
          const opened = { reader, isOpen: true }
          void reader.ended.then(() => (opened.isOpen = false))
          return opened
        }
        let now = await open('')
        await begun(now.reader)
        for (const one of steps) {
          left = one.cut ?? 0
          if (one.isAway) {
            now.reader.leave()
            await now.reader.ended
          }
          play(chain, one)
          await sleep(one.cut === undefined ? 0 : 20)
          if (now.isOpen) continue
          now = await open(now.reader.lastEventId)
        }
        left = 0
        const isWhole = (): boolean => JSON.stringify(list) === JSON.stringify(myLogs(chain))
        for (let tries = 0; tries < 20 && !isWhole(); tries++) {
          if (!now.isOpen) now = await open(now.reader.lastEventId)
          for (let i = 0; i < 100 && now.isOpen && !isWhole(); i++) await sleep(10)
        }
        expect(list).toEqual(myLogs(chain))
        now.reader.leave()
        server.closeAllConnections()
      }),
      { numRuns: 25 },
    )
  })
})

describe('a request for events', () => {
  it.each(['POST', 'HEAD', 'PUT'])('by %s is refused', async (method) => {
    const { base } = await startServer(createChain())
    const answer = await send(base, `/v3/${key}/events?type=newHeads`, { method })
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, OPTIONS'])
  })

  it('of a page is allowed its header', async () => {
    const { base } = await startServer(createChain())
    const headers = { origin: 'https://page.example' }
    const answer = await send(base, `/v3/${key}/events`, { method: 'OPTIONS', headers })
    expect(answer).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': 'https://page.example',
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': expect.stringContaining('Last-Event-ID') as string,
      },
    })
    const refused = await send(base, `/v3/${key}/events`, { headers })
    expect(refused.headers['access-control-allow-origin']).toBe('https://page.example')
  })

  it.each([
    [`/v3/${key}/events`, 400, -32602, 'type: expected newHeads or logs'],
    [`/quiet/v3/${key}/events?type=logs`, 404, -32601, 'quiet follows no heads'],
    [`/starknet/v3/${key}/events?type=logs`, 404, -32601, 'starknet has no such events'],
    [`/nowhere/v3/${key}/events?type=logs`, 404, -32002, 'unknown network "nowhere"'],
    [`/v3/${key}/events?type=newHeads&fromHash=0x${'9'.repeat(64)}`, 404, -32000, 'no node has block'],
    [`/v3/${key}/events?type=newHeads&fromBlock=900`, 503, -32000, 'block 900 is above the head'],
  ])('%s is answered %i', async (path, status, code, message) => {
    const { base } = await startServer(createChain())
    const answer = await send(base, path)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code, message: expect.stringContaining(message) as string, data: { traceId: expect.any(String) } },
    })
  })

  it('without a key that is known is refused as a call is', async () => {
    const { base } = await startServer(createChain())
    const answer = await send(base, '/v3/nobody/events?type=logs')
    expect([answer.status, answer.body]).toEqual([401, 'invalid project id\n'])
  })

  it('behind another stream on its connection is refused', async () => {
    const { base, metrics } = await startServer(createChain())
    const connection = rawConnection(base)
    const get = `GET /v3/${key}/events?type=newHeads HTTP/1.1\r\nHost: a\r\n\r\n`
    connection.send(get)
    await connection.saw(/retry: /)
    connection.send(get)
    await until(() => metrics.print().includes('wayleave_refusals_total{status="503"} 1'))
    connection.socket.destroy()
  })

  it('that no upstream answers is 503, but to a browser that comes back a stream that ends', async () => {
    const chain = createChain()
    const { url, state } = await startServer(chain)
    state.refuse = () => new RpcError('unavailable', 'no upstream is there')
    const refused = await fetch(`${url}?type=newHeads`)
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: -32603 } }])
    const { hash } = chain.head
    const reader = await openEvents(`${url}?type=newHeads`, hash)
    await reader.ended
    expect(reader.response.status).toBe(200)
    expect(reader.events).toMatchObject([{ type: 'end', lastEventId: hash }])
    expect(reader.retryMs).toBeGreaterThan(0)
    expect(endOf(reader)).toMatchObject({ error: { code: -32603 }, lastEventId: hash })
    // A refusal that no later attempt can mend has its status: the browser stops.
    expect((await fetch(`${url}?type=nothing`, { headers: { 'Last-Event-ID': hash } })).status).toBe(400)
    expect((await fetch(`${url}?type=newHeads`, { headers: { 'Last-Event-ID': `0x${'9'.repeat(64)}` } })).status).toBe(
      200,
    )
    state.refuse = () => undefined
    expect((await fetch(`${url}?type=newHeads`, { headers: { 'Last-Event-ID': `0x${'9'.repeat(64)}` } })).status).toBe(
      404,
    )
  })

  it.each([
    ['none of its logs', '[]'],
    ['an error', undefined],
  ])('in the middle of a block of which upstreams give %s is 503', async (_what, logs) => {
    const chain = createChain()
    const { url, state, fanOut } = await startServer(chain)
    const { hash } = chain.grow(3)
    state.fault = (method) => {
      if (method !== 'eth_getLogs') return undefined
      return logs === undefined ? { error: { code: -32000, message: 'no' } } : { result: rawJsonFromText(logs) }
    }
    const answer = await fetch(`${url}?${ofLogs}&lastEventId=${hash}:3`)
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: { message: `no upstream has the rest of block ${hash}: try again, or resume by fromBlock` } },
    ])
    expect(fanOut.size).toBe(0)
  })
})
