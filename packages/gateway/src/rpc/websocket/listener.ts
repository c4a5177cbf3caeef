import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { isAddedHead } from '@wayleave/evm-events'
import type { ServedSocket } from '@wayleave/jsonrpc-core/websocket'
import { WebSocketServer } from 'ws'
import { commonHeaders, type HttpAnswer, onceAnswered } from '@wayleave/http-server'
import { errorClass } from '@wayleave/telemetry'
import { type JsonAnswer, jsonAnswer, printAnswer, refusalAnswer } from '../../errors.ts'
import type { ListenerOptions } from '../../listener-options.ts'
import { causeOf } from '../../refusal.ts'
import { refusalOf } from '../call.ts'
import { directivesOf } from '../../config/directives.ts'
import { wishesOf } from '../marks.ts'
import { ClosingSocket } from './closing-socket.ts'
import { type ConnectionHost, serveConnection } from './connection.ts'
import { createEventWriter } from './event-writer.ts'
import { createUpkeep } from './upkeep.ts'
import { readHead } from '../../request-head.ts'
import { exposedOfCalls } from '../../exchange.ts'

export interface WebSocketListener {
  /** Takes no more connections, answers the calls in flight, closes every connection with 1012, one after the other, and waits until they are gone. */
  close(): Promise<void>
  /** Cuts the connections that have not closed. */
  terminate(): void
}

/** Tells whether a request asks for a WebSocket. Any other `Upgrade`, such as `h2c`, is an offer that is not taken. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

/**
 * Most fragments of a message (one of 5 MiB in fragments of 4 KiB has 1,280), and most chunks in which a fragment comes (one of 5 MiB in
 * packets of 576 bytes has 9,100).
 */
const pieces = { maxFragments: 2_048, maxBufferedChunks: 16_384 }

/** The longest time over which connections are told of the end, in ms: half of the usual one for all calls in flight. */
const longestSpreadMs = 5_000

/** Serves JSON-RPC over WebSocket (Spec §4.1): a refusal is an HTTP answer before the upgrade. */
export function attachWebSocketListener(server: Server, options: Omit<ListenerOptions, 'tls'>): WebSocketListener {
  const { admission, sessions, metering, limits, timeouts, budget, clock, nextTurn, newTraceId, log, metrics } = options
  const { tracer, recorder } = options
  const upkeep = createUpkeep({
    clock,
    get pingMs() {
      return limits.webSocketPingMs
    },
    get idleMs() {
      return limits.webSocketIdleMs
    },
  })
  const events = createEventWriter(nextTurn, isAddedHead)
  const host: ConnectionHost = {
    sessions,
    metering,
    limits,
    timeouts,
    budget,
    tracer,
    recorder,
    upkeep,
    events,
    clock,
    log,
  }
  /** The trace id under which an upgrade is answered. */
  const traceIds = new WeakMap<IncomingMessage, string>()
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    WebSocket: ClosingSocket,
    ...pieces,
  })
  const connections = new Set<ServedSocket>()
  /** Connections whose earlier requests are not answered yet. */
  const waiting = new Set<Duplex>()

  sockets.on('headers', (headers, request) => {
    headers.push(...linesOf(commonHeaders(undefined, traceIds.get(request)!, exposedOfCalls)))
  })

  function refuse(socket: Duplex, answer: HttpAnswer | JsonAnswer, traceId: string, cause?: string): void {
    metrics.refusals(String(answer.status)).add()
    recorder.refused(refusalOf(answer, traceId, clock, cause))
    sendRefusal(socket, printAnswer(answer, traceId), traceId)
  }

  // `ws` itself would answer without a trace id.
  sockets.on('wsClientError', ({ message }, socket, request) => {
    const isGet = request.method === 'GET'
    const headers = isGet ? ['Sec-WebSocket-Version', '13'] : ['Allow', 'GET']
    refuse(socket, jsonAnswer(isGet ? 400 : 405, { code: -32600, message }, headers), traceIds.get(request)!)
  })

  async function upgrade(request: IncomingMessage, socket: Duplex, firstBytes: Buffer): Promise<void> {
    const head = readHead(request.rawHeaders)
    const traceId = newTraceId()
    const wrong = admission.refuseHead(head)
    if (wrong !== undefined) return refuse(socket, refusalAnswer(wrong), traceId)
    const route = admission.route(request.url ?? '/', head)
    if ('refused' in route) return refuse(socket, refusalAnswer(route), traceId)
    if (route.kind !== 'ws') return refuse(socket, otherPath, traceId)
    const admitted = await admission.admitCall(route, head, { socket: request.socket, traceId })
    if (socket.destroyed) return
    if ('refused' in admitted) return refuse(socket, refusalAnswer(admitted), traceId, causeOf(admitted))
    traceIds.set(request, traceId)
    sockets.options.maxPayload = limits.maxBodyBytes
    sockets.handleUpgrade(request, socket, firstBytes, (webSocket) => {
      const connection = serveConnection({
        host,
        webSocket,
        socket,
        admitted,
        traceId,
        wishes: wishesOf(directivesOf(head, request.url ?? '', admitted.principal.project), undefined),
      })
      connections.add(connection)
      webSocket.on('close', () => connections.delete(connection))
    })
  }

  // A client that takes the gateway for a proxy would be cut without a word.
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    onceAnswered(socket, waiting, () => {
      socket.on('error', () => socket.destroy())
      refuse(socket, notConnect, newTraceId())
    }),
  )

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, firstBytes: Buffer) =>
    onceAnswered(socket, waiting, () => {
      // Node that is to serve such a request itself loses what came right behind it.
      if (!asksForWebSocket(request)) return serveAsPlain(ownerOf(request) ?? server, request, socket, firstBytes)
      // Until the handshake this is the only listener, and an error without one would end the process.
      socket.on('error', () => socket.destroy())
      upgrade(request, socket, firstBytes).catch((thrown: unknown) => {
        log.repeats.error(['upgrade', errorClass(thrown)], { err: thrown }, 'an upgrade failed inside the gateway')
        socket.destroy()
      })
    }),
  )

  return {
    async close() {
      sockets.close()
      const all = [...connections]
      const stepMs = Math.min(1, longestSpreadMs / all.length)
      // Callers that are told at once come back at once.
      const stops = all.map((connection, i) => clock.after(i * stepMs, () => void connection.close('restart')))
      await Promise.all(all.map(({ closed }) => closed))
      for (const stop of stops) stop()
    },
    terminate() {
      for (const client of sockets.clients) client.terminate()
      for (const socket of waiting) socket.destroy()
    },
  }
}

const otherPath = jsonAnswer(404, { code: -32600, message: 'WebSocket connections are taken at /ws/v3/<key>' })
const notConnect = jsonAnswer(405, { code: -32600, message: 'JSON-RPC is served by POST, not CONNECT' }, [
  'Allow',
  'POST, OPTIONS',
])

/** Answers and ends a connection, also one whose other side stays open, since no timeout of the server watches it any more. */
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
    ...linesOf([...pairs, ...commonHeaders(undefined, traceId, exposedOfCalls), ...answer.headers]),
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${answer.body}`, () => socket.destroy())
}

/** Prints flat headers as lines. */
function linesOf(headers: readonly string[]): string[] {
  return headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}`] : []))
}

/** The server that accepted the connection of a request: another program's, where the gateway has no listener of its own. */
function ownerOf({ socket }: IncomingMessage): Server | undefined {
  return (socket as { readonly server?: Server }).server
}

/**
 * Serves a request whose offer to upgrade is not taken, but whose connection Node gave away: the connection begins again with the
 * same request, without the offer.
 */
function serveAsPlain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'upgrade' || lowerCase === 'http2-settings') continue
    const value = lowerCase === 'connection' ? withoutOffer(rawHeaders[i + 1]!) : rawHeaders[i + 1]!
    lines.push(`${name}: ${value}`)
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('encrypted' in socket ? 'secureConnection' : 'connection', socket)
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map((option) => option.trim())
  return options.filter((option) => !/^(upgrade|http2-settings)$/i.test(option)).join(', ')
}
