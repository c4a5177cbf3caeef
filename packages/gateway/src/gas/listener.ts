import type { ServerResponse } from 'node:http'
import { createAccessCheck } from '@wayleave/auth'
import type { GasAnswer } from '@wayleave/gas-fees'
import type { RefusalAnswer } from '@wayleave/metering'
import {
  commonHeaders,
  createStreams,
  enterFlight,
  leaveFlight,
  lingerOn,
  onceAdmitted,
  type PageRights,
  sendPreflight,
  type Streams,
  writeEvents,
} from '@wayleave/http-server'
import { errorClass } from '@wayleave/telemetry'
import type { Admitted } from '../admission.ts'
import { deniedBySettings, twoKeys } from '../errors.ts'
import { callerLeftStatus } from '../metering/meter-request.ts'
import type { Principal } from '../principal.ts'
import type { CallerRefusal } from '../refusal.ts'
import type { ListenerOptions } from '../listener-options.ts'
import type { GasRoute } from '../routes/route.ts'
import type { GasPlace, GasService } from './service.ts'
import type { TotalCall } from './total-call.ts'
import { createGasMeter, type GasMeter, type MeteredGasRequest } from './gas-meter.ts'
import type { HttpExchange } from '../exchange.ts'
import type { RequestHead } from '../request-head.ts'

export interface GasListenerOptions extends Pick<
  ListenerOptions,
  'admission' | 'sessions' | 'metering' | 'limits' | 'clock' | 'log' | 'metrics'
> {
  readonly service: Pick<GasService, 'find' | 'answer'>
}

/** Serves the gas API over HTTP (Spec §4.11), on the listener of JSON-RPC. */
export interface GasListener {
  serve(exchange: HttpExchange, route: GasRoute): void
  /** Ends the streams, which have no end of their own and would keep the server from closing. */
  endStreams(): void
}

/** The parts of the gateway that all requests share. */
interface GasHost extends GasListenerOptions {
  readonly meter: GasMeter
}

/** One request for the gas API. */
interface GasRequest extends HttpExchange {
  readonly options: GasHost
  readonly streams: Streams<Principal>
  readonly place: GasPlace
  /** Its meters, where its caller is known. */
  readonly metered?: MeteredGasRequest
  /** Present for a `totalFee`. */
  total?: TotalCall
}

const exposed = 'ETag, Age, Retry-After, RateLimit-Policy, RateLimit, X-Block-Number, X-Trace-Id'
const pageRights: PageRights = {
  methods: 'GET, HEAD, OPTIONS',
  headers:
    'Authorization, X-Api-Key, Cache-Control, Content-Type, If-None-Match, Last-Event-ID, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks, X-Wayleave-Consistency, X-Wayleave-Skip-Cache, Traceparent, Tracestate, Baggage, Sentry-Trace',
}

/** Creates the listener's part of the gas API. */
export function createGasListener(options: GasListenerOptions): GasListener {
  const streams = createStreams(options.sessions)
  const host = { ...options, meter: createGasMeter(options.metering) }
  return {
    serve: (exchange, route) => serveGas(exchange, route, host, streams),
    endStreams: () => streams.end(),
  }
}

function serveGas(exchange: HttpExchange, route: GasRoute, options: GasHost, streams: Streams<Principal>): void {
  const { request, response, traceId } = exchange
  if (request.method === 'OPTIONS') return sendPreflight(response, exchange.head.origin, traceId, pageRights)
  const place = options.service.find(route.path, request.url ?? '')
  const head = place.endpoint === 'blockprices' ? withBareKey(exchange.head) : exchange.head
  const asked: GasRequest = { ...exchange, options, streams, place }
  // The names of the networks are no secret: `/readyz` tells them, too.
  const isPublic = place.endpoint === 'supportedChainNames'
  const target = { kind: 'gas', key: route.key, networks: place.networks, isPublic } as const
  const admitted = options.admission.admit(target, head, { socket: request.socket, traceId })
  if (!(admitted instanceof Promise)) return answerTo(asked, admitted)
  onceAdmitted(
    request,
    admitted,
    (late) => answerTo(asked, late),
    (thrown) => fail(asked, thrown),
  )
}

function answerTo(exchange: GasRequest, admitted: Admitted | CallerRefusal): void {
  if ('refused' in admitted) return refuse(exchange, gasRefusal(admitted))
  const { principal } = admitted
  const metered = exchange.options.meter(principal, exchange.place)
  if (!(metered instanceof Promise)) return answerMetered(exchange, principal, metered)
  onceAdmitted(
    exchange.request,
    metered,
    (late) => answerMetered(exchange, principal, late),
    (thrown) => fail(exchange, thrown),
    (late) => late.settle(callerLeftStatus),
  )
}

function answerMetered(exchange: GasRequest, principal: Principal, metered: MeteredGasRequest): void {
  const { options, request, head, place } = exchange
  const asked: GasRequest = { ...exchange, metered }
  if (metered.refused !== undefined) return refuse(asked, limitRefusal(metered.refused))
  if (place.endpoint === 'totalFee') {
    const query = queryOf(request.url)
    if (!mayEstimate(principal, query)) return refuse(asked, gasRefusal({ refused: 'denied' }))
    asked.total = { query, principal, traceId: exchange.traceId, asked: 0 }
  }
  const isStream = place.endpoint === 'suggestedGasFees/stream'
  const carriesStream = isStream && request.method === 'GET'
  if (carriesStream && asked.streams.carries(request.socket)) {
    return refuse(asked, gasError(503, 'a connection carries one stream at a time', { 'retry-after': '1' }))
  }
  const answer = options.service.answer({
    // Node leaves the body out, and its length has to be that of GET (RFC 9110 §9.3.2).
    method: request.method === 'HEAD' && !isStream ? 'GET' : (request.method ?? 'GET'),
    place,
    total: asked.total,
    ifNoneMatch: head.ifNoneMatch,
    allowed: principal.project.networks,
    signal: carriesStream
      ? asked.streams.begin(request, asked.response, principal, place.network)
      : asked.total === undefined
        ? undefined
        : untilClosed(asked.response),
  })
  if (!(answer instanceof Promise)) return send(asked, answer)
  if (!enterFlight(request.socket, options.limits.maxInFlight)) return refuseMore(asked)
  asked.response.on('close', () => leaveFlight(request.socket))
  answer.then(
    (late) => send(asked, late),
    (thrown: unknown) => fail(asked, thrown),
  )
}

/** Takes an `Authorization` without a scheme for the key, as Blocknative's clients send it. */
function withBareKey(head: RequestHead): RequestHead {
  const { authorization, apiKey } = head
  if (authorization === undefined || apiKey !== undefined || authorization.includes(' ')) return head
  return { ...head, apiKey: authorization, authorization: undefined }
}

function queryOf(url = ''): string {
  return url.split('?', 2)[1] ?? ''
}

/** Whether a project's rules allow the estimate of a total's call. A signed transaction is refused where addresses are restricted. */
function mayEstimate(principal: Principal, query: string): boolean {
  const to = new URLSearchParams(query).getAll('to')
  const access = createAccessCheck<{ readonly method: string }>({ addressesOf: () => to })
  return access.decideCall(principal, { method: 'eth_estimateGas' }).reason === undefined
}

/** Makes a signal that aborts once the caller has left. */
function untilClosed(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.once('close', () => left.abort())
  return left.signal
}

function send(asked: GasRequest, answer: GasAnswer): void {
  const { options, request, response, place } = asked
  const { clock, limits, metrics } = options
  const { status, body } = answer
  metrics.gasAnswers(place.network ?? '', place.endpoint, String(status)).add()
  asked.metered?.settle(response.destroyed ? callerLeftStatus : status, (asked.total?.asked ?? 0) > 0)
  if (typeof body === 'string') return write(asked, answer, body)
  // Comments come too rarely for a server that cuts earlier.
  request.socket.setTimeout(Math.max(60_000, 2 * limits.requestTimeoutMs))
  response.writeHead(status, headersOf(asked, answer))
  response.flushHeaders()
  void writeEvents(response, asked.metered?.charge(body) ?? body, clock, limits.webSocketIdleMs)
}

/** A refusal of the gas API. */
interface GasError extends GasAnswer {
  readonly body: string
}

/** Makes a {@link GasError}. */
function gasError(status: number, message: string, headers: GasAnswer['headers'] = {}): GasError {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ statusCode: status, message }),
  }
}

/** Words a refusal: every failure of key, secret or JWT is the same 401, as of other services of this kind. */
function gasRefusal(refusal: CallerRefusal): GasError {
  switch (refusal.refused) {
    case 'two_keys':
      return gasError(400, twoKeys)
    case 'denied':
      return gasError(403, deniedBySettings.message)
    case 'denied_network':
      return gasError(403, `project ID does not have access to ${refusal.network}`)
    case 'no_key':
    case 'unknown_key':
    case 'revoked':
    case 'wrong_secret':
    case 'secret_required':
    case 'wrong_token':
    case 'token_required':
      return unauthorized
  }
}

const unauthorized = gasError(401, 'Unauthorized', { 'www-authenticate': 'Basic realm="gas"' })

function limitRefusal({ error, retryAfterSeconds }: RefusalAnswer): GasError {
  return gasError(
    429,
    error.message,
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  )
}

function refuse(asked: GasRequest, answer: GasError): void {
  asked.options.metrics.refusals(String(answer.status)).add()
  asked.metered?.settle(answer.status)
  write(asked, answer, answer.body)
}

function refuseMore(asked: GasRequest): void {
  const message = `at most ${asked.options.limits.maxInFlight} calls of a connection are answered at once`
  refuse(asked, gasError(503, message, { 'retry-after': '1' }))
}

function fail(asked: GasRequest, thrown: unknown): void {
  const { options, response, traceId } = asked
  const kind = ['gas', errorClass(thrown)]
  options.log.repeats.error(kind, { traceId, err: thrown }, 'a request for gas fees failed inside the gateway')
  if (response.headersSent) response.destroy()
  else refuse(asked, gasError(500, 'internal error'))
}

function write(asked: GasRequest, answer: GasAnswer, body: string): void {
  const { options, request, response } = asked
  const headers = headersOf(asked, answer)
  // Only 304, and the HEAD of a stream, which has no length, are empty.
  if (body !== '') headers.push('Content-Length', String(Buffer.byteLength(body)))
  response.writeHead(answer.status, headers)
  if (request.method === 'GET' || request.method === 'HEAD') response.end(body)
  else lingerOn(request, response, body, options.clock)
}

function headersOf({ head, traceId, metered }: GasRequest, { headers }: GasAnswer): string[] {
  const lines = commonHeaders(head.origin, traceId, exposed)
  if (metered !== undefined) lines.push(...metered.headers)
  for (const name of Object.keys(headers)) lines.push(name, headers[name]!)
  return lines
}
