import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createContext, type RpcError, subscribe } from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, resubscribe } from '@wayleave/jsonrpc-core/websocket'
import { expect, it, onTestFinished } from 'vitest'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { eventually } from './real-server.ts'
import { call, resultText } from './support.ts'
import { answer, push } from './websocket-peer.ts'

const reconnects = 1_000
const topics = ['a', 'b', 'c']
const callers = 16

/** Numbers from 0 up to 1, the same ones in each run (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Breaks connections at random moments: in the handshake, before, within, beside and after answers. */
async function hostileServer(chance: () => number) {
  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  const clients = new Set<Socket>()
  /** The newest event of each topic, delivered or not. */
  const events: Record<string, number> = Object.fromEntries(topics.map((topic) => [topic, 0]))
  let kills = 0
  let calm = false

  function kill(raw: Socket, lastWords?: Uint8Array | string): void {
    if (raw.destroyed || raw.writableEnded) return
    kills++
    // An event that nobody hears: the next subscription starts after it.
    for (const topic of topics) events[topic]!++
    if (lastWords === undefined) raw.destroy()
    else raw.end(lastWords, () => raw.destroy())
  }

  http.on('connection', (raw) => {
    clients.add(raw)
    raw.on('close', () => clients.delete(raw))
    raw.on('error', () => {})
    if (!calm && chance() < 0.05) kill(raw)
  })
  http.on('upgrade', (request, raw: Socket, head) => {
    if (!calm && chance() < 0.05) return kill(raw, 'HTTP/1.1 101 Switching Proto')
    sockets.handleUpgrade(request, raw, head, (socket) => serve(socket, raw))
  })

  function serve(socket: ServerSocket, raw: Socket): void {
    const subscribed = new Map<string, string>()
    const lifetime = 1 + Math.floor(chance() * 40)
    let heard = 0
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params: string[] }
      const dies = !calm && ++heard > lifetime
      const manner = dies ? chance() : 1
      if (manner < 0.2) return kill(raw)
      if (manner < 0.4) return kill(raw, Uint8Array.of(0x81, 0x7e, 0x04, 0x00, 0x7b, 0x22))
      if (method === 'eth_subscribe') {
        const name = `0x${subscribed.size + 1}`
        subscribed.set(name, params[0]!)
        socket.send(answer(id, `"${name}"`))
      } else socket.send(answer(id, `"${params[0]}"`))
      if (chance() < 0.1) socket.send(answer(id, '"twice"'))
      for (const [name, topic] of subscribed) socket.send(push(name, String(++events[topic]!)))
      if (manner < 0.6) {
        kills++
        socket.close(1001)
      } else if (manner < 0.8) kill(raw, Uint8Array.of(0x81, 0x05, 0x7b))
      else if (dies) kill(raw)
    })
  }

  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const client of clients) client.destroy()
    await new Promise((resolve) => void http.close(resolve))
  })
  return {
    url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
    events,
    kills: () => kills,
    calm: () => void (calm = true),
  }
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapNow(): number {
  // Code that has not run for a few collections is forgotten, too.
  for (let i = 0; i < 5; i++) collectGarbage()
  return process.memoryUsage().heapUsed
}

it(`${reconnects} forced reconnects lose no call, no gap and no memory`, { timeout: 60_000 }, async () => {
  const server = await hostileServer(chanceOf(7))
  const transport = createWebSocketTransport({
    url: server.url,
    subscriptions: { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } },
    reconnect: { baseDelayMs: 1, maxDelayMs: 4, random: chanceOf(8) },
  })
  const replay = resubscribe({ baseDelayMs: 1, maxDelayMs: 4, random: chanceOf(9) })
  const handler = replay(transport.handler)
  onTestFinished(async () => {
    replay.close()
    await transport.close()
  })

  const faults: string[] = []
  const newest: Record<string, number> = {}
  let gaps = 0
  for (const topic of topics) {
    let gap: { readonly last: unknown; readonly first: unknown } | undefined
    let last: number | undefined
    const subscriber = {
      onGap: (reported: typeof gap) => {
        gaps++
        if (gap !== undefined) faults.push(`${topic}: two gaps and no event`)
        gap = reported
      },
      onEvent(event: unknown) {
        const n = event as number
        if (last !== undefined && n <= last) faults.push(`${topic}: ${n} after ${last}`)
        if (gap === undefined ? last !== undefined && n !== last + 1 : gap.last !== last || gap.first !== n)
          faults.push(`${topic}: ${n} after ${last}, the gap was ${JSON.stringify(gap)}`)
        gap = undefined
        newest[topic] = last = n
      },
      onEnd: (why: unknown) => faults.push(`${topic}: ended: ${String(why)}`),
    }
    // The first call has nobody who repeats it.
    for (let tries = 0; ; tries++) {
      const done = await subscribe(handler, 'eth_subscribe', [topic], subscriber).catch((why: RpcError) => why)
      if ('unsubscribe' in done) break
      if (tries > 100) throw done
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  const settled: Record<string, number> = {}
  let asked = 0
  let answered = 0
  const load = { over: false }
  async function keepCalling(): Promise<void> {
    while (!load.over) {
      const n = String(++asked)
      const context = createContext({ timeoutMs: 10_000 })
      const outcome = await transport.handler(call('echo', [n]), context).then(
        (response) => (resultText(response) === `"${n}"` ? 'answered' : `wrong: ${resultText(response)}`),
        (why: RpcError) => `${why.name} ${why.code} ${why.delivery}`,
      )
      context.release()
      settled[outcome] = (settled[outcome] ?? 0) + 1
      answered++
      if (outcome !== 'answered') await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  const calling = Array.from({ length: callers }, keepCalling)
  const heaps: number[] = []
  while (server.kills() < reconnects) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    if (server.kills() >= ((heaps.length + 1) * reconnects) / 4) heaps.push(heapNow())
  }
  if (heaps.length < 4) heaps.push(heapNow())
  server.calm()
  load.over = true
  await Promise.all(calling)

  expect(faults).toEqual([])
  expect(answered).toBe(asked)
  expect(Object.keys(settled).toSorted()).toEqual([
    'RpcError connect not_sent',
    'RpcError disconnected unknown',
    'answered',
  ])
  expect(settled['answered']).toBeGreaterThan(reconnects)
  expect(gaps).toBeGreaterThan(reconnects / 4)
  // A leak per connection grows in every quarter; V8's own reserves do not.
  const grown = heaps.slice(1).map((heap, i) => heap - heaps[i]!)
  expect(Math.min(...grown), `heap by quarter: ${grown.join(', ')}`).toBeLessThan(400_000)

  // Each subscription is there again, on the one connection that stayed.
  const before = { ...newest }
  await eventually(() => {
    const context = createContext({ timeoutMs: 15_000 })
    void transport.handler(call('echo', ['last']), context).then(
      () => context.release(),
      () => context.release(),
    )
    return topics.every((topic) => newest[topic]! > (before[topic] ?? 0))
  }, 'a subscription was not replayed')
})
