import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { type HttpAnswer, jsonAnswer } from '../errors.ts'
import { isLocal } from '../routes/local.ts'
import { admit, nowhere, type Serving, foreigner } from '../serving.ts'
import { commonHeaders } from './http-answer.ts'
import { serveWebSocket } from './websocket-connection.ts'

export interface WebSocketListener {
  /** Takes no more connections, answers the calls in flight, closes every connection with 1001 and waits until they are gone. */
  close(): Promise<void>
  /** Ends the connections that have not closed. */
  terminate(): void
}

/** Whether a request asks for a WebSocket. Any other `Upgrade`, such as `h2c`, is an offer that is not taken. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/** Serves JSON-RPC over WebSocket (Spec §4.1): a refusal is an HTTP answer before the upgrade. */
export function attachWebSocketListener(server: Server, serving: Serving): WebSocketListener {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: serving.limits.maxBodyBytes,
    perMessageDeflate: false,
    clientTracking: true,
  })
  /** What ends each connection in order. */
  const leavers = new Set<() => Promise<void>>()

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { host = '', origin, authorization } = request.headers
    if (serving.onlyLocal && !isLocal(host, origin)) return refuse(socket, foreigner)
    const route = serving.route(request.url ?? '/', host)
    if (route.kind === 'lost') return refuse(socket, nowhere(route))
    if (route.kind !== 'ws') {
      return refuse(
        socket,
        jsonAnswer(404, { code: -32600, message: 'WebSocket connections are taken at /ws/v3/<key>' }),
      )
    }
    const traceId = serving.newTraceId()
    const admission = await admit(serving, route, authorization)
    if ('status' in admission) return refuse(socket, admission, traceId)
    const { networks } = admission.project
    if (networks !== undefined && !networks.includes(admission.network.name)) {
      const message = `project ID does not have access to ${admission.network.name}`
      return refuse(socket, jsonAnswer(403, { code: -32002, message }), traceId)
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const leave = serveWebSocket(serving, admission, webSocket, traceId)
      leavers.add(leave)
      webSocket.on('close', () => leavers.delete(leave))
    })
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Until the handshake nobody else listens, and an unheard error would end the process.
    socket.on('error', () => socket.destroy())
    upgrade(request, socket, head).catch((thrown: unknown) => {
      serving.log.error({ err: thrown }, 'an upgrade failed inside the gateway')
      socket.destroy()
    })
  })

  return {
    async close() {
      sockets.close()
      await Promise.all([...leavers].map((leave) => leave()))
    },
    terminate() {
      for (const client of sockets.clients) client.terminate()
    },
  }
}

/** Answers and ends a connection, also one whose other side stays open: no timeout of the server watches it any more. */
function refuse(socket: Duplex, answer: HttpAnswer, traceId?: string): void {
  const pairs = [
    'Content-Type',
    answer.contentType,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Connection',
    'close',
  ]
  const headers = [...pairs, ...commonHeaders(undefined, traceId), ...answer.headers]
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`]
  for (let i = 0; i + 1 < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`)
  socket.end(`${lines.join('\r\n')}\r\n\r\n${answer.body}`, () => socket.destroy())
}
