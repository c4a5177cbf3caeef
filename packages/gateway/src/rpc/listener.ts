import type { RequestListener } from 'node:http'
import {
  type Blocks,
  commonHeaders,
  type CreateListener,
  createCompressor,
  createInflater,
  type HttpListener,
  type HttpListenerOptions,
  onceAdmitted,
  type PageRights,
  plainAnswer,
  sendAnswer,
  sendPreflight,
  useGet,
} from '@wayleave/http-server'
import { type JsonAnswer, jsonAnswer, refusalAnswer } from '../errors.ts'
import type { GasListener } from '../gas/listener.ts'
import type { Refusal } from '../refusal.ts'
import { endOfCertificate } from '../config/tls-files.ts'
import type { ListenerOptions } from '../listener-options.ts'
import type { Health } from '../health/health.ts'
import { type Call, fail, refuse } from './call.ts'
import { isClosing } from './closing-connections.ts'
import { receive } from './http-call.ts'
import { createEventsListener, type EventsListener } from './sse/listener.ts'
import { attachWebSocketListener } from './websocket/listener.ts'
import { readHead } from '../request-head.ts'
import { exposedOfCalls } from '../exchange.ts'

export interface RpcListenerOptions extends Omit<ListenerOptions, 'tls'> {
  readonly gas: GasListener
  readonly health: Health
  /** Called with the byte count of each part of a large answer. */
  readonly onPassed: (bytes: number) => void
  /** Blocks that large answers are written from. */
  readonly blocks: Blocks
}

/** Longest wait of a timer, in ms. */
const longestTimerMs = 2 ** 31 - 1
/** Bytes that a connection holds before its writer waits: a few reads of a large answer. */
const socketBuffer = 262_144

/** Creates the listener of JSON-RPC over HTTP and WebSocket, with server-sent events, the gas API and the two health paths. */
export function openRpcListener(
  options: RpcListenerOptions &
    Pick<ListenerOptions, 'tls'> &
    Pick<HttpListenerOptions, 'address' | 'isShared' | 'socket' | 'lingerMs'> & {
      readonly createListener: CreateListener
    },
): HttpListener {
  const { address, gas, tls, limits, timeouts, metrics, clock, log } = options
  const { readTimeoutMs } = limits
  const events: EventsListener = createEventsListener(options)
  const http = options.createListener({
    name: 'JSON-RPC',
    address,
    isShared: options.isShared,
    socket: options.socket,
    lingerMs: options.lingerMs ?? 0,
    nextTurn: options.nextTurn,
    onRequest: createRpcListener(options, events),
    server: {
      connectionsCheckingInterval: Math.min(5_000, readTimeoutMs / 4),
      keepAliveTimeout: 65_000,
      highWaterMark: socketBuffer,
    },
    tls,
    limits: () => ({
      maxConnections: limits.maxConnections,
      requestTimeout: limits.readTimeoutMs,
      headersTimeout: limits.readTimeoutMs,
      // A caller who takes nothing of an answer for this long is cut; no call lasts longer without a byte of its answer.
      timeout: Math.min(Math.max(2 * timeouts.longestMs, limits.readTimeoutMs), longestTimerMs),
    }),
    onDrop: () => metrics.droppedConnections().add(),
    onCertificate: (cert) => metrics.certificateEnd().set(Math.floor(endOfCertificate(cert) / 1_000)),
    clock,
    log,
  })
  const sockets = attachWebSocketListener(http.server, options)
  return {
    ...http,
    async close() {
      gas.endStreams()
      events.endStreams()
      await Promise.all([http.close(), sockets.close()])
    },
    terminate() {
      http.terminate()
      sockets.terminate()
    },
  }
}

/** Bodies that are inflated at a time; the threads that do it also read the files of the stores. */
const mostInflated = 2
/** Results that are compressed at a time, by the same threads, which take a piece of each in turn. */
const mostCompressed = 8

/** Serves JSON-RPC over HTTP, server-sent events, the gas API and the health paths. */
export function createRpcListener(
  options: RpcListenerOptions,
  events: EventsListener = createEventsListener(options),
): RequestListener {
  const { admission, newTraceId, tracer } = options
  const inflater = createInflater(mostInflated)
  const compressor = createCompressor(mostCompressed)
  return (request, response) => {
    if (isClosing(request.socket)) return
    const head = readHead(request.rawHeaders)
    const { origin } = head
    const span = tracer.begin(head.traceparent)
    const traceId = span?.traceId ?? newTraceId()
    const headers = commonHeaders(origin, traceId, exposedOfCalls)
    const call: Call = { options, inflater, compressor, request, response, head, traceId, span, headers }
    const wrong = admission.refuseHead(head)
    if (wrong !== undefined) return refuse(withoutForeigner(call, wrong), refusalAnswer(wrong))
    const route = admission.route(request.url ?? '/', head, request.socket)
    if ('refused' in route) return refuse(call, refusalAnswer(route))
    if (route.kind === 'gas') return options.gas.serve(call, route)
    if (route.kind === 'ws') return refuse(call, onlyWebSocket)
    if (route.kind === 'events') return events.serve(call, route)
    if (route.kind !== 'rpc') return answerHealth(call, route.kind, options.health)
    if (request.method === 'OPTIONS') return sendPreflight(response, origin, traceId, pageRights)
    if (request.method !== 'POST') return refuseMethod(call)
    const admitted = admission.admitCall(route, head, { socket: request.socket, traceId })
    if (!(admitted instanceof Promise)) return receive(call, admitted)
    onceAdmitted(
      request,
      admitted,
      (late) => receive(call, late),
      (thrown) => fail(call, thrown),
    )
  }
}

const pageRights: PageRights = {
  methods: 'POST, OPTIONS',
  headers:
    'Content-Type, Authorization, X-Api-Key, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks, X-Wayleave-Consistency, X-Wayleave-Skip-Cache, Traceparent, Tracestate, Baggage, Sentry-Trace',
}

const onlyWebSocket: JsonAnswer = jsonAnswer(
  426,
  { code: -32600, message: 'this path takes WebSocket connections; POST to /v3/<key>' },
  ['Upgrade', 'websocket'],
)

/** A page from elsewhere is not given leave to read its refusal. */
function withoutForeigner(call: Call, { refused }: Refusal): Call {
  return refused === 'foreign' ? { ...call, headers: commonHeaders(undefined, call.traceId, exposedOfCalls) } : call
}

function refuseMethod(call: Call): void {
  const message = `JSON-RPC is served by POST, not ${call.request.method ?? 'this method'}`
  refuse(call, jsonAnswer(405, { code: -32600, message }, ['Allow', 'POST, OPTIONS']))
}

function answerHealth(call: Call, kind: 'healthz' | 'readyz', health: Health): void {
  const { request, response, headers } = call
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(call, useGet())
  if (kind === 'healthz') return sendAnswer(response, plainAnswer(200, 'ok\n'), headers)
  void health.readiness(false).then((answer) => sendAnswer(response, answer, headers))
}
