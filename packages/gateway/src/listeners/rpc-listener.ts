import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { describeRpcError, RpcError, type RpcReply } from '@wayleave/jsonrpc-core'
import { GatewayContext } from '../context.ts'
import { describe, jsonAnswer, retryAfterSeconds, statusOf } from '../errors.ts'
import { isLocal } from '../routes/local.ts'
import { type Admission, admit, callerLeft, foreigner, nowhere, type Serving } from '../serving.ts'
import { logRejection } from '../log.ts'
import type { NetworkMetrics } from '../metrics.ts'
import { commonHeaders, sendAnswer, sendPreflight } from './http-answer.ts'
import { readBody } from './read-body.ts'
import { readHead, type RequestHead } from './request-head.ts'
import { writeArriving, writeChunks } from './write-body.ts'

/** Serves JSON-RPC over HTTP (Spec §4.1) and the two health paths. */
export function createRpcListener(serving: Serving): RequestListener {
  return (request, response) => {
    const head = readHead(request.rawHeaders)
    const { origin } = head
    if (serving.onlyLocal && !isLocal(head.host, origin)) {
      return sendAnswer(response, foreigner, commonHeaders(undefined, undefined))
    }
    const route = serving.route(request.url ?? '/', head.host)
    if (route.kind === 'lost') return sendAnswer(response, nowhere(route), commonHeaders(origin, undefined))
    if (route.kind === 'rpc') {
      if (request.method === 'OPTIONS') return sendPreflight(response, origin)
      const traceId = serving.newTraceId()
      const call: Call = { serving, request, response, head, traceId, headers: commonHeaders(origin, traceId) }
      if (request.method !== 'POST') return refuseMethod(call)
      const admission = admit(serving, route, head.authorization)
      if (admission instanceof Promise) {
        admission.then(
          (admitted) => receive(call, admitted),
          (thrown: unknown) => fail(call, thrown),
        )
      } else receive(call, admission)
      return
    }
    const headers = commonHeaders(origin, undefined)
    if (route.kind === 'healthz') return sendAnswer(response, { ...ok, body: 'ok\n' }, headers)
    if (route.kind === 'readyz') return void sendReadiness(serving, response, headers)
    sendAnswer(
      response,
      jsonAnswer(426, { code: -32600, message: 'this path takes WebSocket connections; POST to /v3/<key>' }, [
        'Upgrade',
        'websocket',
      ]),
      headers,
    )
  }
}

const ok = { status: 200, contentType: 'text/plain; charset=utf-8', headers: [] } as const

/** Calls in flight by connection: HTTP lets a caller send the next before the last is answered. */
const callsOf = new WeakMap<object, number>()

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

function refuseMethod({ request, response, headers }: Call): void {
  const message = `JSON-RPC is served by POST, not ${request.method ?? 'this method'}`
  sendAnswer(response, jsonAnswer(405, { code: -32600, message }, ['Allow', 'POST, OPTIONS']), headers)
}

/** Reads the body of an admitted request and answers it. */
function receive(call: Call, admission: Admission): void {
  const { serving, request, response, head, traceId, headers } = call
  if ('status' in admission) return sendAnswer(response, admission, headers)
  if (head.contentEncoding !== undefined && head.contentEncoding !== 'identity') {
    const message = 'send the body without content encoding'
    return sendAnswer(response, jsonAnswer(415, { code: -32600, message }, ['Accept-Encoding', 'identity']), headers)
  }
  const { network, project } = admission
  const { clock, limits } = serving
  const inFlight = (callsOf.get(request.socket) ?? 0) + 1
  if (inFlight > limits.maxInFlight) {
    const message = `at most ${limits.maxInFlight} calls of a connection are answered at once`
    return sendAnswer(response, jsonAnswer(503, { code: -32005, message }, ['Retry-After', '1']), headers)
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
      const message = `content length too large (more than ${limits.maxBodyBytes})`
      return sendAnswer(response, jsonAnswer(413, { code: -32600, message }, ['Connection', 'close']), headers)
    }
    const own = new GatewayContext(
      { clock, deadline: clock.now() + limits.requestTimeoutMs, acceptStream: true },
      { project, network: network.name, traceId },
    )
    context = own
    network.server(body, own).then(
      (reply) => {
        if (!response.destroyed) send(reply, own, call, network.metrics)
      },
      (thrown: unknown) => fail(call, thrown),
    )
  })
}

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const

function send({ kind, body, rejected }: RpcReply, context: GatewayContext, call: Call, metrics: NetworkMetrics): void {
  const { serving, response, traceId, headers } = call
  if (typeof body === 'string') {
    const status = rejected === undefined ? statuses[kind] : statusOf(rejected)
    metrics.answered(status)
    const lines = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body)), ...headers]
    if (rejected !== undefined) {
      logRejection(serving.log, { traceId, network: context.caller.network }, rejected)
      const seconds = retryAfterSeconds(rejected)
      if (seconds !== undefined) lines.push('Retry-After', String(seconds))
    }
    response.writeHead(status, lines)
    response.end(body)
  } else if (Array.isArray(body)) {
    metrics.answered(200)
    const chunks = body as readonly Uint8Array[]
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(length), ...headers])
    writeChunks(response, chunks)
  } else void sendArriving(body as AsyncIterable<Uint8Array>, context, call, metrics)
}

/** The status waits for the first bytes, so that an answer that never begins is still an outage. */
async function sendArriving(
  body: AsyncIterable<Uint8Array>,
  context: GatewayContext,
  { serving, response, traceId, headers }: Call,
  metrics: NetworkMetrics,
): Promise<void> {
  const source = body[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array>
  try {
    first = await source.next()
  } catch (thrown) {
    const why = thrown instanceof RpcError ? thrown : new RpcError('disconnected', 'the answer broke off')
    metrics.answered(statusOf(why))
    logRejection(serving.log, { traceId, network: context.caller.network }, why)
    return sendAnswer(response, jsonAnswer(statusOf(why), describe(why)), headers)
  }
  metrics.answered(200)
  response.writeHead(200, ['Content-Type', 'application/json', ...headers])
  const why = await writeArriving(response, first.value as Uint8Array, source, context, serving.onPassed)
  if (why !== undefined) logRejection(serving.log, { traceId, network: context.caller.network }, why)
}

function fail({ serving, response, traceId, headers }: Call, thrown: unknown): void {
  serving.log.error({ traceId, err: thrown }, 'a request failed inside the gateway')
  if (response.headersSent) response.destroy()
  else sendAnswer(response, jsonAnswer(500, describeRpcError(new RpcError('unavailable', 'internal error'))), headers)
}

async function sendReadiness(serving: Serving, response: ServerResponse, headers: readonly string[]): Promise<void> {
  const networks = [...serving.networks.values()]
  const reasons = await Promise.all(networks.map((network) => network.probe()))
  const lines = networks.map(({ name }, i) => `${name}: ${reasons[i] ?? 'ok'}\n`)
  const ready = reasons.every((reason) => reason === undefined)
  sendAnswer(response, { ...ok, status: ready ? 200 : 503, body: lines.join('') }, headers)
}
