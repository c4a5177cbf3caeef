import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { type HttpAnswer, jsonAnswer } from '../errors.ts'
import { asksForMarks } from '../marks.ts'
import { isLocal } from '../routes/local.ts'
import { admit, foreigner, nowhere, type Serving, twoHosts } from '../serving.ts'
import { commonHeaders } from './http-answer.ts'
import { serveAsPlain } from './plain-upgrade.ts'
import { readHead } from './request-head.ts'
import { serveWebSocket } from './websocket-connection.ts'
import { createUpkeep } from './websocket-upkeep.ts'

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
  const { clock, limits } = serving
  const upkeep = createUpkeep({ clock, pingMs: limits.webSocketPingMs, idleMs: limits.webSocketIdleMs })
  /** What an upgrade is answered under. */
  const traceIds = new WeakMap<IncomingMessage, string>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.maxBodyBytes,
    perMessageDeflate: false,
    clientTracking: true,
  })
  /** What ends each connection in order. */
  const leavers = new Set<() => Promise<void>>()

  sockets.on('headers', (headers, request) => {
    headers.push(...linesOf(commonHeaders(undefined, traceIds.get(request)!)))
  })

  // `ws` itself would answer without a trace id.
  sockets.on('wsClientError', ({ message }, socket, request) => {
    const isGet = request.method === 'GET'
    const answer = jsonAnswer(
      isGet ? 400 : 405,
      { code: -32600, message },
      isGet ? ['Sec-WebSocket-Version', '13'] : ['Allow', 'GET'],
    )
    serving.refused(answer.status)
    sendRefusal(socket, answer, traceIds.get(request)!)
  })

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { host, hasTwoHosts, origin, authorization } = readHead(request.rawHeaders)
    const traceId = serving.newTraceId()
    const refuse = (answer: HttpAnswer): void => {
      serving.refused(answer.status)
      sendRefusal(socket, answer, traceId)
    }
    if (hasTwoHosts) return refuse(twoHosts)
    if (serving.onlyLocal && !isLocal(host, origin)) return refuse(foreigner)
    const route = serving.route(request.url ?? '/', host)
    if (route.kind === 'lost') return refuse(nowhere(route))
    if (route.kind !== 'ws') {
      return refuse(jsonAnswer(404, { code: -32600, message: 'WebSocket connections are taken at /ws/v3/<key>' }))
    }
    const admission = await admit(serving, route, authorization)
    if ('status' in admission) return refuse(admission)
    const { networks } = admission.project
    if (networks !== undefined && !networks.includes(admission.network.name)) {
      const message = `project ID does not have access to ${admission.network.name}`
      return refuse(jsonAnswer(403, { code: -32002, message }))
    }
    traceIds.set(request, traceId)
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const inlineMarks = asksForMarks(request.headers['x-wayleave-marks']?.toString())
      const leave = serveWebSocket(serving, admission, webSocket, traceId, upkeep, inlineMarks)
      leavers.add(leave)
      webSocket.on('close', () => leavers.delete(leave))
    })
  }

  // Who takes the gateway for a proxy would be cut without a word.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    serving.refused(405)
    const message = 'JSON-RPC is served by POST, not CONNECT'
    sendRefusal(socket, jsonAnswer(405, { code: -32600, message }, ['Allow', 'POST, OPTIONS']), serving.newTraceId())
  })

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Before Node 24.9 every offer of an upgrade comes here.
    if (!asksForWebSocket(request)) return serveAsPlain(server, request, socket, head)
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
function sendRefusal(socket: Duplex, answer: HttpAnswer, traceId: string): void {
  const pairs = [
    'Content-Type',
    answer.contentType,
    'Content-Length',
    String(Buffer.byteLength(answer.body)),
    'Connection',
    'close',
  ]
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    ...linesOf([...pairs, ...commonHeaders(undefined, traceId), ...answer.headers]),
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${answer.body}`, () => socket.destroy())
}

/** Flat headers as lines. */
function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []))
}
