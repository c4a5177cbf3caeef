import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

export interface PeerCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[] | undefined
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What the peer does with one call. */
export type HttpScript = (call: PeerCall) => void
export type SocketScript = (
  call: Pick<PeerCall, 'id' | 'method' | 'params'>,
  socket: WebSocket,
  /** What carries the socket. */
  connection: Duplex,
) => void

/** An upstream that does as it is told, and keeps all that it receives. */
export interface Peer extends AsyncDisposable {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly address: string
  /** Request lines, headers, bodies and messages. */
  readonly received: string[]
  /** Methods of the calls that arrived. */
  readonly calls: string[]
  /** Connections that are open, WebSockets among them. */
  readonly connections: number
  readonly sockets: Set<WebSocket>
  http: HttpScript
  ws: SocketScript
}

export const answer =
  (result: unknown): HttpScript =>
  ({ id, response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }

export const refuseWith =
  (status: number, body: string, contentType = 'text/html'): HttpScript =>
  ({ response }) =>
    void response.writeHead(status, { 'content-type': contentType }).end(body)

export const hang: HttpScript = () => {}

export const reset: HttpScript = ({ request }) => void request.socket.resetAndDestroy()

export const garbage: HttpScript = refuseWith(200, '{"jsonrpc":"2.0","id":1,"resu', 'application/json')

export const answerSocket =
  (result: unknown): SocketScript =>
  ({ id }, socket) =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result }))

export async function startPeer(
  http: HttpScript = answer('0x1'),
  ws: SocketScript = answerSocket('0x1'),
): Promise<Peer> {
  const received: string[] = []
  const calls: string[] = []
  const connections = new Set<Socket>()
  const server = createServer((request, response) => {
    record(request)
    // A connection that the gateway ends is no failure of the test.
    response.on('error', () => {})
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      received.push(body)
      const call = JSON.parse(body) as Pick<PeerCall, 'id' | 'method' | 'params'>
      calls.push(call.method)
      peer.http({ ...call, request, response })
    })
  })
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  server.on('upgrade', (request, socket, head) => {
    record(request)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => {})
      webSocket.on('message', (data: Buffer) => {
        received.push(data.toString())
        const call = JSON.parse(data.toString()) as Pick<PeerCall, 'id' | 'method' | 'params'>
        calls.push(call.method)
        peer.ws(call, webSocket, socket)
      })
    })
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`

  function record({ method, url, rawHeaders }: IncomingMessage): void {
    received.push(`${method} ${url}`, ...rawHeaders)
  }

  const peer: Peer = {
    httpUrl: `http://${address}`,
    wsUrl: `ws://${address}`,
    address,
    received,
    calls,
    get connections() {
      return connections.size
    },
    sockets: webSockets.clients,
    http,
    ws,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return peer
}

/** A URL where nothing listens, nor will: its port is the near end of a connection, which the system gives to no one else. */
export async function deadUrl(protocol: 'http' | 'ws' = 'http'): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const holder = connect((server.address() as AddressInfo).port, '127.0.0.1').unref()
  await once(holder, 'connect')
  return `${protocol}://127.0.0.1:${holder.localPort}`
}
