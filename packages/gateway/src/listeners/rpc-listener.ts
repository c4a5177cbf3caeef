import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describeRpcError, RpcError, type RpcReply } from '@wayleave/jsonrpc-core'
import { GatewayContext } from '../context.ts'
import { asJson, describe, type HttpAnswer, jsonAnswer, retryAfterSeconds, statusOf } from '../errors.ts'
import { logRejection } from '../log.ts'
import { asksForMarks, markHeaders } from '../marks.ts'
import { isLocal } from '../routes/local.ts'
import {
  type Admission,
  admit,
  type Admitted,
  callerLeft,
  foreigner,
  nowhere,
  type Serving,
  twoHosts,
} from '../serving.ts'
import { prefersJson } from './accept.ts'
import { callsOf } from './calls-of.ts'
import { acceptedEncodings, decoderOf, decompress } from './decompress.ts'
import { serveGas } from './gas-listener.ts'
import { commonHeaders, type PageRights, sendAnswer, sendEarly, sendPreflight } from './http-answer.ts'
import { readBody } from './read-body.ts'
import { readiness } from './readiness.ts'
import { readHead, type RequestHead } from './request-head.ts'
import { writeArriving, writeChunks } from './write-body.ts'

/** Serves JSON-RPC over HTTP (Spec §4.1), the gas API and the two health paths. */
export function createRpcListener(serving: Serving): RequestListener {
  return (request, response) => {
    if (closing.has(request.socket)) return
    const head = readHead(request.rawHeaders)
    const { origin } = head
    const traceId = serving.newTraceId()
    const call: Call = { serving, request, response, head, traceId, headers: commonHeaders(origin, traceId) }
    if (head.hasTwoHosts) return refuse(call, twoHosts)
    if (serving.onlyLocal && !isLocal(head.host, origin)) {
      return refuse({ ...call, headers: commonHeaders(undefined, traceId) }, foreigner)
    }
    const route = serving.route(request.url ?? '/', head.host)
    if (route.kind === 'gas') return serveGas(call, route)
    if (route.kind === 'rpc') {
      if (request.method === 'OPTIONS') return sendPreflight(response, origin, traceId, pageRights)
      if (request.method !== 'POST') return refuseMethod(call)
      const admission = admit(serving, route, head.authorization)
      if (admission instanceof Promise) {
        admission.then(
          (admitted) => receive(call, admitted),
          (thrown: unknown) => fail(call, thrown),
        )
      } else receive(call, admission)
    } else if (route.kind === 'lost') refuse(call, nowhere(route))
    else if (route.kind === 'ws') refuse(call, onlyWebSocket)
    else answerHealth(call, route.kind)
  }
}

/** Connections whose last answer is on its way: what comes after it is not served (RFC 9112 §9.6). */
const closing = new WeakSet<object>()

/** One request on its way. */
interface Call {
  readonly serving: Serving
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly head: RequestHead
  readonly traceId: string
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

function refuse({ serving, request, response, headers }: Call, answer: HttpAnswer): void {
  serving.refused(answer.status)
  sendEarly(request, response, answer, headers, serving.clock)
}

function refuseMethod(call: Call): void {
  const message = `JSON-RPC is served by POST, not ${call.request.method ?? 'this method'}`
  refuse(call, jsonAnswer(405, { code: -32600, message }, ['Allow', 'POST, OPTIONS']))
}

const plain = { status: 200, contentType: 'text/plain; charset=utf-8', headers: [] } as const

function answerHealth(call: Call, kind: 'healthz' | 'readyz'): void {
  const { serving, request, response, headers } = call
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(call, { ...plain, status: 405, body: 'use GET\n', headers: ['Allow', 'GET, HEAD'] })
  }
  if (kind === 'healthz') return sendAnswer(response, { ...plain, body: 'ok\n' }, headers)
  void readiness(serving.probed, false).then((answer) => sendAnswer(response, answer, headers))
}

/** Reads the body of an admitted request and answers it. */
function receive(call: Call, admission: Admission): void {
  const { serving, request, response, head } = call
  if ('status' in admission) {
    return refuse(call, prefersJson(request.headers.accept) ? asJson(admission) : admission)
  }
  const { limits } = serving
  const encoding = head.contentEncoding
  const isPlain = encoding === undefined || /^(identity)?$/i.test(encoding)
  const decode = isPlain ? undefined : decoderOf(encoding)
  if (!isPlain && decode === undefined) {
    const message = `send the body in no encoding, or in one of ${acceptedEncodings}`
    return refuse(call, jsonAnswer(415, { code: -32600, message }, ['Accept-Encoding', acceptedEncodings]))
  }
  const inFlight = (callsOf.get(request.socket) ?? 0) + 1
  if (inFlight > limits.maxInFlight) {
    const message = `at most ${limits.maxInFlight} calls of a connection are answered at once`
    return refuse(call, jsonAnswer(503, { code: -32005, message }, ['Retry-After', '1']))
  }
  callsOf.set(request.socket, inFlight)
  let context: GatewayContext | undefined
  response.on('close', () => {
    callsOf.set(request.socket, callsOf.get(request.socket)! - 1)
    if (response.writableFinished) context?.release()
    else context?.cancel(callerLeft)
  })
  readBody(request, head.contentLength, limits.maxBodyBytes, (body) => {
    if (body === undefined) {
      closing.add(request.socket)
      return refuseLength(call, ['Connection', 'close'])
    }
    if (decode === undefined) {
      context = answerBody(call, admission, body)
      return
    }
    decompress(decode, body, limits.maxBodyBytes, (whole) => {
      if (response.destroyed) return
      if (whole === 'too_large') refuseLength(call)
      else if (whole === 'broken') {
        const message = `parse error: the body is no whole ${encoding}`
        refuse(call, jsonAnswer(400, { code: -32700, message }))
      } else context = answerBody(call, admission, whole)
    })
  })
}

function refuseLength(call: Call, headers: readonly string[] = []): void {
  const message = `content length too large (more than ${call.serving.limits.maxBodyBytes})`
  refuse(call, jsonAnswer(413, { code: -32600, message }, headers))
}

function answerBody(call: Call, { network, project, dialect }: Admitted, body: Uint8Array): GatewayContext {
  const { serving, response, head, traceId } = call
  const { clock, limits } = serving
  const context = new GatewayContext(
    { clock, deadline: clock.now() + limits.requestTimeoutMs, acceptStream: true },
    { project, network: network.name, traceId, dialect, inlineMarks: asksForMarks(head.marks) },
  )
  network.server(body, context).then(
    (reply) => {
      if (!response.destroyed) send(reply, context, call, network)
    },
    (thrown: unknown) => fail(call, thrown),
  )
  return context
}

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const

function send(
  { kind, body, rejected, meta }: RpcReply,
  context: GatewayContext,
  call: Call,
  network: Admitted['network'],
): void {
  const { response, headers } = call
  const { metrics } = network
  if (typeof body === 'string') {
    const status = rejected === undefined ? statuses[kind] : statusOf(rejected)
    metrics.answered(status)
    const lines = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...headers]
    if (rejected !== undefined) {
      tellRejection(call, network, rejected)
      lines.push(...retryAfter(rejected))
    }
    lines.push(...markHeaders(meta))
    response.writeHead(status, lines)
    response.end(body)
  } else if (Array.isArray(body)) {
    metrics.answered(200)
    const chunks = body as readonly Uint8Array[]
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(length), ...headers])
    writeChunks(response, chunks)
  } else void sendArriving(body as AsyncIterable<Uint8Array>, context, call, network)
}

/** The status waits for the first bytes, so that an answer that never begins is still an outage. */
async function sendArriving(
  body: AsyncIterable<Uint8Array>,
  context: GatewayContext,
  call: Call,
  network: Admitted['network'],
): Promise<void> {
  const { serving, response, headers } = call
  const { clock, limits, onPassed } = serving
  const source = body[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array>
  try {
    first = await source.next()
  } catch (thrown) {
    const why = thrown instanceof RpcError ? thrown : new RpcError('disconnected', 'the answer broke off')
    network.metrics.answered(statusOf(why))
    tellRejection(call, network, why)
    return sendAnswer(response, jsonAnswer(statusOf(why), describe(why), retryAfter(why)), headers)
  }
  network.metrics.answered(200)
  response.writeHead(200, ['Content-Type', 'application/json', ...headers])
  const why = await writeArriving(response, first.value as Uint8Array, source, context, (bytes) => {
    onPassed(bytes)
    // What makes progress has all of its time again.
    context.extend(clock.now() + limits.requestTimeoutMs)
  })
  if (why !== undefined) tellRejection(call, network, why)
}

function tellRejection({ serving, traceId }: Call, { name, metrics }: Admitted['network'], why: RpcError): void {
  metrics.rejected(why.code)
  logRejection(serving.log, { traceId, network: name }, why)
}

function retryAfter(why: RpcError): readonly string[] {
  const seconds = retryAfterSeconds(why)
  return seconds === undefined ? [] : ['Retry-After', String(seconds)]
}

function fail({ serving, response, traceId, headers }: Call, thrown: unknown): void {
  serving.log.error({ traceId, err: thrown }, 'a request failed inside the gateway')
  if (response.headersSent) response.destroy()
  else sendAnswer(response, jsonAnswer(500, describeRpcError(new RpcError('unavailable', 'internal error'))), headers)
}
