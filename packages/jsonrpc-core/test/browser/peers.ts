import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws'
import { closedPort } from '../real-server.ts'
import { answer, push, rawOf } from '../websocket-peer.ts'
import type { Peers } from './scenario.ts'

interface Frame {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

const big = JSON.stringify('a'.repeat(10_000))

/** The peers of the scenario, and a page on an origin of its own that holds `script`. */
export async function servePeers(script: string): Promise<{ peers: Peers; page: string; close(): Promise<void> }> {
  const api = createServer((request, response) => void serveHttp(request, response))
  const site = createServer(({ url }, response) => {
    const isScript = url === '/script.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
    response.end(isScript ? script : '<!doctype html><script type="module" src="/script.js"></script>')
  })
  const sockets = new WebSocketServer({ server: api })
  const seen = new Set<unknown>()
  sockets.on('connection', (socket) => serveSocket(socket, seen))
  const [apiPort, sitePort] = await Promise.all([listen(api), listen(site)])
  return {
    peers: {
      http: `http://127.0.0.1:${apiPort}/SECRET`,
      closed: `http://127.0.0.1:${apiPort}/closed/SECRET`,
      ws: `ws://127.0.0.1:${apiPort}/SECRET`,
      nobody: `http://127.0.0.1:${await closedPort()}/SECRET`,
    },
    page: `http://127.0.0.1:${sitePort}/`,
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      for (const server of [api, site]) {
        server.closeAllConnections()
        await new Promise((resolve) => void server.close(resolve))
      }
    },
  }
}

async function serveHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', method, headers } = request
  if (!url.startsWith('/closed')) {
    response.setHeader('access-control-allow-origin', headers.origin ?? '*')
    response.setHeader('access-control-allow-headers', 'content-type, authorization')
  }
  if (method === 'OPTIONS') return void response.writeHead(204).end()
  if (url.endsWith('404')) return void response.writeHead(404).end('SECRET')
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Frame | Frame[]
  const frames = Array.isArray(body) ? body : [body]
  if (frames.some((frame) => frame.method === 'hang')) return
  const answers = frames.map(({ id, method: name, params }) => {
    if (name === 'big') return answer(id, big)
    return answer(id, JSON.stringify(name === 'size' ? [frames.length, params?.[0]] : params?.[0]))
  })
  response.setHeader('content-type', 'application/json')
  response.end(Array.isArray(body) ? `[${answers.join(',')}]` : answers[0])
}

/** `seen` holds the params of subscriptions that were dropped once. */
function serveSocket(socket: ServerSocket, seen: Set<unknown>): void {
  const late: string[] = []
  let isMute = false
  const acts: Record<string, (frame: Frame) => void> = {
    echo({ id, params }) {
      socket.send(answer(id, JSON.stringify(params?.[0] ?? null)))
      for (const said of late.splice(0)) socket.send(said)
    },
    late: ({ id }) => void late.push(answer(id, '"late"')),
    hang() {},
    drop: () => socket.terminate(),
    mute: () => void (isMute = true),
    big: ({ id }) => socket.send(answer(id, big)),
    binary: ({ id }) => socket.send(Buffer.from(answer(id))),
    nonsense: () => socket.send('sorry'),
    utf8: () => void rawOf(socket).write(Uint8Array.of(0x81, 2, 0xc3, 0x28)),
    eth_unsubscribe: ({ id }) => socket.send(answer(id, 'true')),
    eth_subscribe({ id, params }) {
      const isFirst = !seen.has(params?.[0])
      seen.add(params?.[0])
      socket.send(answer(id, isFirst ? '"0x1"' : '"0x2"'))
      for (const event of isFirst ? [1, 2] : [5, 6]) socket.send(push(isFirst ? '0x1' : '0x2', String(event)))
      if (isFirst) socket.close(1001)
    },
  }
  socket.on('error', () => {})
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as Frame
    if (!isMute) acts[frame.method]?.(frame)
  })
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
