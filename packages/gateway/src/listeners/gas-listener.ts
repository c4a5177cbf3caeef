import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthResult } from '@wayleave/auth'
import type { GasAnswer } from '@wayleave/gas-fees'
import { authenticateGas } from '../gas/authenticate-gas.ts'
import { type GasError, gasError } from '../gas/gas-error.ts'
import type { GasPlace } from '../gas/gas-service.ts'
import type { GasRoute } from '../routes/route.ts'
import type { Serving } from '../serving.ts'
import { callsOf } from './calls-of.ts'
import { commonHeaders, lingerOn, type PageRights, sendPreflight } from './http-answer.ts'
import type { RequestHead } from './request-head.ts'
import { writeEvents } from './write-events.ts'

/** One request for the gas API. */
interface GasRequest {
  readonly serving: Serving
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly head: RequestHead
  readonly traceId: string
  readonly place: GasPlace
}

const exposed = 'ETag, Age, Retry-After, X-Block-Number, X-Trace-Id'
const pageRights: PageRights = {
  methods: 'GET, HEAD, OPTIONS',
  headers:
    'Authorization, Cache-Control, Content-Type, If-None-Match, Last-Event-ID, User-Agent, Infura-Source, X-Client-Id',
}
const unauthorized = gasError(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="gas"' })
const anybody: AuthResult = { project: { id: '', name: 'anybody', requireSecret: false } }

/** Serves the gas API over HTTP (Spec §4.11). */
export function serveGas(call: Omit<GasRequest, 'place'>, route: GasRoute): void {
  const { serving, request, response, head, traceId } = call
  if (request.method === 'OPTIONS') return sendPreflight(response, head.origin, traceId, pageRights)
  const asked = { ...call, place: serving.gas.find(route.path) }
  const result = whoAsks(asked, route)
  if (!(result instanceof Promise)) return answerTo(asked, result)
  result.then(
    (auth) => answerTo(asked, auth),
    (thrown: unknown) => fail(asked, thrown),
  )
}

/** Which networks there are is no secret: `/readyz` tells it, too. */
function whoAsks({ serving, head, place }: GasRequest, { key }: GasRoute): AuthResult | Promise<AuthResult> {
  const isOpen = place.endpoint === 'supportedChainNames' && key === undefined && head.authorization === undefined
  return isOpen ? anybody : authenticateGas(serving.authenticate, key, head.authorization)
}

function answerTo(asked: GasRequest, { failure, project }: AuthResult): void {
  const { serving, request, head, place } = asked
  if (failure !== undefined) return refuse(asked, unauthorized)
  const { networks } = project
  if (
    networks !== undefined &&
    place.network !== undefined &&
    !place.networks.some((name) => networks.includes(name))
  ) {
    return refuse(asked, gasError(403, `project ID does not have access to ${place.network}`))
  }
  const isStream = place.endpoint === 'suggestedGasFees/stream'
  const carriesStream = isStream && request.method === 'GET'
  if (carriesStream && streaming.has(request.socket)) {
    return refuse(asked, gasError(503, 'a connection carries one stream at a time', { 'retry-after': '1' }))
  }
  const answer = serving.gas.answer({
    // Node leaves the body out, and its length has to be that of GET (RFC 9110 §9.3.2).
    method: request.method === 'HEAD' && !isStream ? 'GET' : (request.method ?? 'GET'),
    place,
    ifNoneMatch: head.ifNoneMatch,
    allowed: networks,
    signal: carriesStream ? beginStream(asked) : undefined,
  })
  if (!(answer instanceof Promise)) return send(asked, answer)
  if (!takePlace(asked)) return refuseMore(asked)
  answer.then(
    (late) => send(asked, late),
    (thrown: unknown) => fail(asked, thrown),
  )
}

/** Counts a request among those of its connection that wait, until it was answered. */
function takePlace({ serving, request, response }: GasRequest): boolean {
  const { socket } = request
  const inFlight = (callsOf.get(socket) ?? 0) + 1
  if (inFlight > serving.limits.maxInFlight) return false
  callsOf.set(socket, inFlight)
  response.on('close', () => callsOf.set(socket, callsOf.get(socket)! - 1))
  return true
}

/** Connections that carry a stream. What is asked behind it would wait for its end. */
const streaming = new WeakSet<object>()

/** Marks a connection as one that carries a stream. The signal aborts with its answer, with it, or with the gateway. */
function beginStream({ serving, request, response }: GasRequest): AbortSignal {
  const { socket } = request
  const leaving = new AbortController()
  const forget = serving.streams.onEnd(() => leaving.abort())
  streaming.add(socket)
  response.on('close', leave)
  // An answer that waits behind another one does not hear that its connection has gone.
  socket.on('close', leave)
  if (socket.destroyed) leave()

  function leave(): void {
    streaming.delete(socket)
    socket.off('close', leave)
    forget()
    leaving.abort()
  }
  return leaving.signal
}

function send(asked: GasRequest, answer: GasAnswer): void {
  const { serving, request, response, place } = asked
  const { status, body } = answer
  serving.gasAnswered(place.network, place.endpoint, status)
  if (typeof body === 'string') return write(asked, answer, body)
  // Comments come too rarely for a server that cuts earlier.
  request.socket.setTimeout(Math.max(60_000, 2 * serving.limits.requestTimeoutMs))
  response.writeHead(status, headersOf(asked, answer))
  response.flushHeaders()
  void writeEvents(response, body, serving.clock, serving.limits.webSocketIdleMs)
}

function refuse(asked: GasRequest, answer: GasError): void {
  asked.serving.refused(answer.status)
  write(asked, answer, answer.body)
}

function refuseMore(asked: GasRequest): void {
  const message = `at most ${asked.serving.limits.maxInFlight} calls of a connection are answered at once`
  refuse(asked, gasError(503, message, { 'retry-after': '1' }))
}

function fail(asked: GasRequest, thrown: unknown): void {
  const { serving, response, traceId } = asked
  serving.log.error({ traceId, err: thrown }, 'a request for gas fees failed inside the gateway')
  if (response.headersSent) response.destroy()
  else refuse(asked, gasError(500, 'internal error'))
}

function write(asked: GasRequest, answer: GasAnswer, body: string): void {
  const { serving, request, response } = asked
  const headers = headersOf(asked, answer)
  // Only 304, and the HEAD of a stream, which has no length, are empty.
  if (body !== '') headers.push('Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(answer.status, headers)
  if (request.method === 'GET' || request.method === 'HEAD') response.end(body)
  else lingerOn(request, response, body, serving.clock)
}

function headersOf({ head, traceId }: GasRequest, { headers }: GasAnswer): string[] {
  const lines = commonHeaders(head.origin, traceId, exposed)
  for (const name of Object.keys(headers)) lines.push(name, headers[name]!)
  return lines
}
