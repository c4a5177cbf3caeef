import { type RpcErrorObject, type RpcReply, toRpcError } from '@wayleave/jsonrpc-core'
import {
  createStreams,
  enterFlight,
  Holding,
  leaveFlight,
  onceAdmitted,
  type PageRights,
  sendAnswer,
  sendPreflight,
  type StreamEnd,
  type Streams,
  whenGone,
} from '@wayleave/http-server'
import type { AdmittedCall } from '../../admission.ts'
import {
  describe,
  type JsonAnswer,
  jsonAnswer,
  printAnswer,
  retryAfterHeader,
  statusOf,
  withTrace,
} from '../../errors.ts'
import type { Principal } from '../../principal.ts'
import type { ListenerOptions } from '../../listener-options.ts'
import { rateLimitHeaders } from '../../metering/meter-request.ts'
import type { Refusal } from '../../refusal.ts'
import type { CallRoute } from '../../routes/route.ts'
import { type Call, fail, refuse, refuseCaller } from '../call.ts'
import { callerLeft, GatewayContext } from '../../context/context.ts'
import { directivesOf } from '../../config/directives.ts'
import { createLimitTally } from '../../context/limit-tally.ts'
import { wishesOf } from '../marks.ts'
import { printEventId } from '../../events/event-id.ts'
import { createHeadPrinter, createLogPrinter } from '../../events/event-printer.ts'
import { type EventQuery, readEventQuery, subscribeParams } from '../../events/event-query.ts'
import { createEventSession, type EventSession, printEnd } from './event-session.ts'
import { readRestOfBlock } from '../../events/rest-of-block.ts'

/** Serves heads and logs as server-sent events, on the listener of JSON-RPC. */
export interface EventsListener {
  serve(call: Call, route: CallRoute): void
  /** Ends the streams, which have no end of their own, within two seconds. */
  endStreams(): void
}

const pageRights: PageRights = {
  methods: 'GET, OPTIONS',
  headers:
    'Authorization, X-Api-Key, Cache-Control, Last-Event-ID, User-Agent, Infura-Source, X-Client-Id, X-Wayleave-Marks, X-Wayleave-Consistency, X-Wayleave-Skip-Cache, Traceparent, Tracestate, Baggage, Sentry-Trace',
}
/** Time over which streams end with the gateway, in ms. */
const drainMs = 2_000
/** Waits before readers connect again, in ms: spread, so that those of a gateway that is gone do not come back at once. */
const retries = { least: 1_000, most: 5_000 }
/** The golden ratio: its multiples, modulo 1, fill an interval evenly. */
const ratio = 0.618_033_988_75

export function createEventsListener(options: Pick<ListenerOptions, 'sessions' | 'clock'>): EventsListener {
  const streams = createStreams(options.sessions)
  let begun = 0
  return {
    serve(call, route) {
      const { request, response, head, traceId } = call
      const { admission } = call.options
      if (request.method === 'OPTIONS') return sendPreflight(response, head.origin, traceId, pageRights)
      if (request.method !== 'GET') return refuseMethod(call)
      const retryMs = Math.round(retries.least + ((++begun * ratio) % 1) * (retries.most - retries.least))
      const answer = (admitted: AdmittedCall | Refusal): void => receive(call, admitted, streams, retryMs)
      const admitted = admission.admitCall(route, head, { socket: request.socket, traceId })
      if (!(admitted instanceof Promise)) return answer(admitted)
      onceAdmitted(request, admitted, answer, (thrown) => fail(call, thrown))
    },
    endStreams: () => streams.end({ clock: options.clock, ms: drainMs }),
  }
}

function refuseMethod(call: Call): void {
  const message = `events are served by GET, not ${call.request.method ?? 'this method'}`
  refuse(call, jsonAnswer(405, { code: -32600, message }, ['Allow', 'GET, OPTIONS']))
}

/** An admitted request for events. */
interface Asked {
  readonly call: Call
  readonly admitted: AdmittedCall
  readonly query: EventQuery
  readonly retryMs: number
  /** The clock when it came, in ms. */
  readonly begunAt: number
}

function receive(call: Call, admitted: AdmittedCall | Refusal, streams: Streams<Principal>, retryMs: number): void {
  if ('refused' in admitted) return refuseCaller(call, admitted)
  const { options, request, response } = call
  const { network, principal } = admitted
  const without = whyWithout(admitted)
  if (without !== undefined) return refuse(call, jsonAnswer(404, { code: -32601, message: without }))
  const query = readEventQuery(request.url ?? '', request.headers['last-event-id'] as string | undefined)
  if ('problem' in query) return refuse(call, jsonAnswer(400, { code: -32602, message: query.problem }))
  if (streams.carries(request.socket)) return refuseBusy(call, 'a connection carries one stream at a time')
  const { maxInFlight } = options.limits
  if (!enterFlight(request.socket, maxInFlight)) {
    return refuseBusy(call, `at most ${maxInFlight} calls of a connection are answered at once`)
  }
  response.on('close', () => leaveFlight(request.socket))
  const asked: Asked = { call, admitted, query, retryMs, begunAt: options.clock.now() }
  options.metrics.eventStreams(network.name).add(1)
  const signal = streams.begin(request, response, principal, network.name)
  const session = createEventSession({
    response,
    account: options.budget.account(principal.project.id),
    clock: options.clock,
    idleMs: options.limits.webSocketIdleMs,
    retryMs,
    completeError: (error) => withTrace(error, call.traceId),
  })
  whenGone(request, response, () => session.leave())
  const left = (): void => options.metrics.eventStreams(network.name).add(-1)
  if (signal.aborted) left()
  else signal.addEventListener('abort', left, { once: true })
  open(asked, session, signal).catch((thrown: unknown) => fail(call, thrown))
}

/** Tells why a network has no events to serve; undefined where it has. */
function whyWithout({ network }: AdmittedCall): string | undefined {
  const { name, place, events } = network
  if (!place.methods.has('eth_subscribe')) return `${name} has no such events: subscribe over WebSocket, /ws/v3/<key>`
  if (events === undefined) return `${name} follows no heads (followHeads), so that no stream of events can go on`
  return undefined
}

function refuseBusy(call: Call, message: string): void {
  refuse(call, jsonAnswer(503, { code: -32005, message }, ['Retry-After', '1']))
}

/** Subscribes, and begins the answer once it is known that there will be events. */
async function open(asked: Asked, session: EventSession, signal: AbortSignal): Promise<void> {
  const { call, admitted, query } = asked
  const { options, head, request, traceId, span } = call
  const { network, principal, apiVersion } = admitted
  const { clock } = options
  const timeouts = options.timeouts.at(network.name, principal.project.id)
  const metered = options.metering.callerOf(principal, network.place)
  const tally = metered?.limiter && createLimitTally()
  const holding = new Holding(options.budget.account(principal.project.id))
  const wishes = wishesOf(directivesOf(head, request.url ?? '', principal.project), undefined)
  const context = new GatewayContext(
    { clock, deadline: asked.begunAt + timeouts.longestMs, session },
    { principal, network: network.name, traceId, span, apiVersion, holding, timeouts, metered, tally, ...wishes },
  )
  let isBegun = false
  const ended = (): void => {
    const why = signal.reason as StreamEnd
    if (!isBegun) context.cancel(callerLeft)
    if (isBegun && why !== 'gone') session.end(ends[why])
    else session.leave()
  }
  signal.addEventListener('abort', ended, { once: true })
  if (signal.aborted) ended()
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: subscribeParams(query) })
    const reply = await network.server(encoder.encode(body), context)
    const limits = metered === undefined || tally === undefined ? [] : rateLimitHeaders(metered, tally.method)
    if (refusedBy(asked, signal)) return
    const refused = refusalOf(reply)
    if (refused !== undefined) {
      if (reply.rejected !== undefined) network.rejected(traceId, reply.rejected)
      return turnAway(asked, { ...refused, headers: [...refused.headers, ...limits] })
    }
    const { kind, place, fromBlock, filter } = query
    const rest = kind === 'logs' ? await readRestOfBlock(network.events!, place, filter, context) : []
    if (refusedBy(asked, signal)) return
    isBegun = true
    countAnswer(asked, 200)
    writeHead(asked, limits)
    session.begin(kind === 'logs' ? createLogPrinter({ place, fromBlock, rest }) : createHeadPrinter(place))
    reply.written?.()
  } catch (thrown) {
    if (refusedBy(asked, signal)) return
    const why = toRpcError(thrown, 'unavailable', 'the events could not be had')
    turnAway(asked, { status: statusOf(why), error: describe(why), headers: retryAfterHeader(why) })
  } finally {
    if (!isBegun) session.leave()
    context.release()
    holding.end()
  }
}

const encoder = new TextEncoder()

const ends: Readonly<Record<Exclude<StreamEnd, 'gone'>, RpcErrorObject>> = {
  expired: { code: -32002, message: 'the key, its secret or the token is not valid any more' },
  withdrawn: { code: -32002, message: 'the network is not served any more' },
  closing: { code: -32603, message: 'the gateway is closing: connect again' },
}

/** Answers a request whose stream ended before it began. */
function refusedBy(asked: Asked, signal: AbortSignal): boolean {
  if (!signal.aborted) return false
  const why = signal.reason as StreamEnd
  const status = why === 'expired' ? 403 : why === 'withdrawn' ? 404 : 503
  if (why !== 'gone' && !asked.call.response.destroyed) turnAway(asked, { status, error: ends[why], headers: [] })
  return true
}

/** Reads why a subscription was refused. */
function refusalOf({ body, rejected }: RpcReply): JsonAnswer | undefined {
  const { error } = JSON.parse(String(body)) as { readonly error?: RpcErrorObject }
  if (error === undefined) return undefined
  if (rejected !== undefined) return { status: statusOf(rejected), error, headers: retryAfterHeader(rejected) }
  return { status: statusOfAnswer(error), error, headers: [] }
}

function statusOfAnswer({ code, message }: RpcErrorObject): number {
  if (code === -32602 || code === -32600) return 400
  // A block that is above the head will come; one that no node has will not.
  if (code === -32000) return /\btry again\b/.test(message) ? 503 : 404
  if (code === -32601) return 404
  return code === -32005 ? 503 : 502
}

/**
 * Refuses the events. A browser that connects again gives up for good on any status but 200, and tells its page nothing; where a later
 * attempt may succeed, it gets a stream that tells why and ends.
 */
function turnAway(asked: Asked, answer: JsonAnswer): void {
  const { call, query, retryMs } = asked
  const { request, response, traceId } = call
  const { status, headers } = answer
  countAnswer(asked, status)
  const comesBack = request.headers['last-event-id'] !== undefined && (status === 429 || status >= 500)
  if (!comesBack) return sendAnswer(response, printAnswer(answer, traceId), call.headers)
  writeHead(asked, headers)
  const retryAfterMs = Number(headers[headers.indexOf('Retry-After') + 1]) * 1_000
  const end = printEnd(withTrace(answer.error, traceId), query.place && printEventId(query.place))
  response.end(`retry: ${Math.max(retryMs, retryAfterMs || 0)}\n\n${end}`)
}

function countAnswer({ call, admitted, begunAt }: Asked, status: number): void {
  admitted.network.metrics.answered(status, call.options.clock.now() - begunAt)
}

function writeHead({ call }: Asked, headers: readonly string[]): void {
  const { options, request, response } = call
  // Comments come too rarely for a server that cuts earlier.
  request.socket.setTimeout(Math.max(60_000, 2 * options.limits.requestTimeoutMs))
  response.writeHead(200, [...eventHeaders, ...call.headers, ...headers])
  response.flushHeaders()
}

const eventHeaders = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store', 'X-Accel-Buffering', 'no']
