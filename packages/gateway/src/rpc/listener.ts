import type { RequestListener } from 'node:http'
import { describeRpcError, RpcError, type RpcReply } from '@wayleave/jsonrpc-core'
import type { AdmittedCall } from '../admission.ts'
import { asJson, describe, jsonAnswer, refusalAnswer, retryAfterSeconds, statusOf } from '../errors.ts'
import type { GasListener } from '../gas/listener.ts'
import {
  commonHeaders,
  type HttpAnswer,
  type HttpExchange,
  type PageRights,
  plainAnswer,
  prefersJson,
  sendAnswer,
  sendEarly,
  sendPreflight,
  useGet,
} from '../http/answer.ts'
import { acceptedEncodings, decoderOf, decompress, readBody } from '../http/body.ts'
import { readHead } from '../http/head.ts'
import { enterFlight, leaveFlight } from '../http/in-flight.ts'
import type { Refusal } from '../refusal.ts'
import { createHttpListener, type HttpListener } from '../http/listener.ts'
import type { ListenerOptions } from '../listener-options.ts'
import { writeArriving, writeChunks } from '../http/write.ts'
import { type Probed, readiness } from '../ops/health.ts'
import { errorClass } from '../ops/log.ts'
import { callerLeft, GatewayContext } from './context.ts'
import { asksForMarks, markHeaders } from './marks.ts'
import { asksForWebSocket, attachWebSocketListener } from './websocket/listener.ts'

export interface RpcListenerOptions extends Omit<ListenerOptions, 'tls'> {
  readonly gas: GasListener
  readonly probed: Iterable<Probed>
  /** Called with the byte count of each part of a large answer. */
  readonly onPassed: (bytes: number) => void
}

/** Longest wait of a timer, in ms. */
const longestTimerMs = 2 ** 31 - 1
/** Bytes that a connection holds before its writer waits: a few reads of a large answer. */
const socketBuffer = 262_144

/** Creates the listener of JSON-RPC over HTTP and WebSocket, with the gas API and the two health paths. */
export function openRpcListener(
  options: RpcListenerOptions & Pick<ListenerOptions, 'tls'> & { readonly address: string },
): HttpListener {
  const { address, gas, tls, limits, metrics, clock, log } = options
  const { readTimeoutMs, requestTimeoutMs, maxConnections } = limits
  const http = createHttpListener({
    name: 'JSON-RPC',
    address,
    onRequest: createRpcListener(options),
    server: {
      requestTimeout: readTimeoutMs,
      headersTimeout: readTimeoutMs,
      connectionsCheckingInterval: Math.min(5_000, readTimeoutMs / 4),
      keepAliveTimeout: 65_000,
      highWaterMark: socketBuffer,
      shouldUpgradeCallback: asksForWebSocket,
    },
    tls,
    maxConnections,
    onDrop: metrics.dropped,
    clock,
    log,
  })
  // A caller who takes nothing of an answer for this long is cut; no call lasts longer without a byte of its answer.
  http.server.setTimeout(Math.min(Math.max(2 * requestTimeoutMs, readTimeoutMs), longestTimerMs))
  const sockets = attachWebSocketListener(http.server, options)
  return {
    ...http,
    async close() {
      gas.endStreams()
      await Promise.all([http.close(), sockets.close()])
    },
    terminate() {
      http.terminate()
      sockets.terminate()
    },
  }
}

/** Serves JSON-RPC over HTTP, the gas API and the health paths. */
export function createRpcListener(options: RpcListenerOptions): RequestListener {
  const { admission, newTraceId } = options
  return (request, response) => {
    if (closing.has(request.socket)) return
    const head = readHead(request.rawHeaders)
    const { origin } = head
    const traceId = newTraceId()
    const call: Call = { options, request, response, head, traceId, headers: commonHeaders(origin, traceId) }
    const wrong = admission.refuseHead(head)
    if (wrong !== undefined) return refuse(withoutForeigner(call, wrong), refusalAnswer(wrong))
    const route = admission.route(request.url ?? '/', head)
    if ('refused' in route) return refuse(call, refusalAnswer(route))
    if (route.kind === 'gas') return options.gas.serve(call, route)
    if (route.kind === 'ws') return refuse(call, onlyWebSocket)
    if (route.kind !== 'rpc') return answerHealth(call, route.kind)
    if (request.method === 'OPTIONS') return sendPreflight(response, origin, traceId, pageRights)
    if (request.method !== 'POST') return refuseMethod(call)
    const admitted = admission.admitCall(route, head, request.socket)
    if (!(admitted instanceof Promise)) return receive(call, admitted)
    admitted.then(
      (late) => receive(call, late),
      (thrown: unknown) => fail(call, thrown),
    )
  }
}

/** Connections whose last answer is on its way: further requests on them are not served (RFC 9112 §9.6). */
const closing = new WeakSet<object>()

/** One request on its way. */
interface Call extends HttpExchange {
  readonly options: RpcListenerOptions
  /** The headers of every answer, flat. */
  readonly headers: readonly string[]
}

const pageRights: PageRights = {
  methods: 'POST, OPTIONS',
  headers: 'Content-Type, Authorization, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks',
}

const onlyWebSocket: HttpAnswer = jsonAnswer(
  426,
  { code: -32600, message: 'this path takes WebSocket connections; POST to /v3/<key>' },
  ['Upgrade', 'websocket'],
)

function refuse({ options, request, response, headers }: Call, answer: HttpAnswer): void {
  options.metrics.refused(answer.status)
  sendEarly(request, response, answer, headers, options.clock)
}

/** A page from elsewhere is not given leave to read its refusal. */
function withoutForeigner(call: Call, { refused }: Refusal): Call {
  return refused === 'foreign' ? { ...call, headers: commonHeaders(undefined, call.traceId) } : call
}

function refuseMethod(call: Call): void {
  const message = `JSON-RPC is served by POST, not ${call.request.method ?? 'this method'}`
  refuse(call, jsonAnswer(405, { code: -32600, message }, ['Allow', 'POST, OPTIONS']))
}

function answerHealth(call: Call, kind: 'healthz' | 'readyz'): void {
  const { options, request, response, headers } = call
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(call, useGet())
  if (kind === 'healthz') return sendAnswer(response, plainAnswer(200, 'ok\n'), headers)
  void readiness(options.probed, false).then((answer) => sendAnswer(response, answer, headers))
}

/** Reads the body of an admitted request and answers it. */
function receive(call: Call, admitted: AdmittedCall | Refusal): void {
  const { options, request, response, head } = call
  if ('refused' in admitted) {
    const answer = refusalAnswer(admitted)
    return refuse(call, prefersJson(request.headers.accept) ? asJson(answer) : answer)
  }
  const { limits } = options
  const encoding = head.contentEncoding
  const isPlain = encoding === undefined || /^(identity)?$/i.test(encoding)
  const decode = isPlain ? undefined : decoderOf(encoding)
  if (!isPlain && decode === undefined) {
    const message = `send the body in no encoding, or in one of ${acceptedEncodings}`
    return refuse(call, jsonAnswer(415, { code: -32600, message }, ['Accept-Encoding', acceptedEncodings]))
  }
  if (!enterFlight(request.socket, limits.maxInFlight)) {
    const message = `at most ${limits.maxInFlight} calls of a connection are answered at once`
    return refuse(call, jsonAnswer(503, { code: -32005, message }, ['Retry-After', '1']))
  }
  let context: GatewayContext | undefined
  response.on('close', () => {
    leaveFlight(request.socket)
    if (response.writableFinished) context?.release()
    else context?.cancel(callerLeft)
  })
  readBody(request, head.contentLength, limits.maxBodyBytes, (body) => {
    if (body === undefined) {
      closing.add(request.socket)
      return refuseLength(call, ['Connection', 'close'])
    }
    if (decode === undefined) {
      context = answerBody(call, admitted, body)
      return
    }
    decompress(decode, body, limits.maxBodyBytes, (whole) => {
      if (response.destroyed) return
      if (whole === 'too_large') refuseLength(call)
      else if (whole === 'broken') {
        const message = `parse error: the body is no whole ${encoding}`
        refuse(call, jsonAnswer(400, { code: -32700, message }))
      } else context = answerBody(call, admitted, whole)
    })
  })
}

function refuseLength(call: Call, headers: readonly string[] = []): void {
  const message = `content length too large (more than ${call.options.limits.maxBodyBytes})`
  refuse(call, jsonAnswer(413, { code: -32600, message }, headers))
}

function answerBody(call: Call, { network, principal, apiVersion }: AdmittedCall, body: Uint8Array): GatewayContext {
  const { options, response, head, traceId } = call
  const { clock, limits } = options
  const begunAt = clock.now()
  const context = new GatewayContext(
    { clock, deadline: begunAt + limits.requestTimeoutMs, acceptStream: true },
    { principal, network: network.name, traceId, apiVersion, inlineMarks: asksForMarks(head.marks) },
  )
  const served: ServedCall = { call, network, context, begunAt }
  network.server(body, context).then(
    (reply) => {
      if (!response.destroyed) send(reply, served)
    },
    (thrown: unknown) => fail(call, thrown),
  )
  return context
}

/** A call that has reached its network. */
interface ServedCall {
  readonly call: Call
  readonly network: AdmittedCall['network']
  readonly context: GatewayContext
  /** The clock when the whole request had come, in ms. */
  readonly begunAt: number
}

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const

function send({ kind, body, rejected, meta }: RpcReply, served: ServedCall): void {
  const { network } = served
  const { response, headers, traceId } = served.call
  if (typeof body === 'string') {
    const status = rejected === undefined ? statuses[kind] : statusOf(rejected)
    countAnswer(served, status)
    const lines = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...headers]
    if (rejected !== undefined) {
      network.rejected(traceId, rejected)
      lines.push(...retryAfter(rejected))
    }
    lines.push(...markHeaders(meta))
    response.writeHead(status, lines)
    response.end(body)
  } else if (Array.isArray(body)) {
    countAnswer(served, 200)
    const chunks = body as readonly Uint8Array[]
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(length), ...headers])
    writeChunks(response, chunks)
  } else void sendArriving(body as AsyncIterable<Uint8Array>, served)
}

function countAnswer({ call, network, begunAt }: ServedCall, status: number): void {
  network.metrics.answered(status, call.options.clock.now() - begunAt)
}

/** Sends an answer that is still arriving. The status waits for the first bytes: an answer that never begins is an outage. */
async function sendArriving(body: AsyncIterable<Uint8Array>, served: ServedCall): Promise<void> {
  const { network, context } = served
  const { options, response, headers, traceId } = served.call
  const { clock, limits, onPassed } = options
  const source = body[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array>
  try {
    first = await source.next()
  } catch (thrown) {
    const why = thrown instanceof RpcError ? thrown : new RpcError('disconnected', 'the answer broke off')
    countAnswer(served, statusOf(why))
    network.rejected(traceId, why)
    return sendAnswer(response, jsonAnswer(statusOf(why), describe(why), retryAfter(why)), headers)
  }
  countAnswer(served, 200)
  response.writeHead(200, ['Content-Type', 'application/json', ...headers])
  const why = await writeArriving(response, first.value as Uint8Array, source, context, (bytes) => {
    onPassed(bytes)
    // An answer that makes progress has all of its time again.
    context.extend(clock.now() + limits.requestTimeoutMs)
  })
  if (why !== undefined) network.rejected(traceId, why)
}

function retryAfter(why: RpcError): readonly string[] {
  const seconds = retryAfterSeconds(why)
  return seconds === undefined ? [] : ['Retry-After', String(seconds)]
}

function fail({ options, response, traceId, headers }: Call, thrown: unknown): void {
  const kind = ['request', errorClass(thrown)]
  options.log.repeats.error(kind, { traceId, err: thrown }, 'a request failed inside the gateway')
  if (response.headersSent) response.destroy()
  else sendAnswer(response, jsonAnswer(500, describeRpcError(new RpcError('unavailable', 'internal error'))), headers)
}
