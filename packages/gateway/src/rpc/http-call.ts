import { type RpcError, type RpcReply, toRpcError } from '@wayleave/jsonrpc-core'
import {
  acceptedEncodings,
  acceptsGzip,
  type BodyRefusal,
  decoderOf,
  type Flights,
  flightsOf,
  Holding,
  readBody,
  sendAnswer,
  streamCost,
  Unsent,
  writeArriving,
  writeChunks,
} from '@wayleave/http-server'
import type { AdmittedCall } from '../admission.ts'
import { describe, jsonAnswer, printAnswer, retryAfterHeader, statusOf } from '../errors.ts'
import type { Refusal } from '../refusal.ts'
import { type Call, fail, noteBroken, noteUnread, refuse, refuseCaller } from './call.ts'
import { closeAfter } from './closing-connections.ts'
import { callerLeft, GatewayContext } from '../context/context.ts'
import { limitHeaders } from './limit-headers.ts'
import { directivesOf } from '../config/directives.ts'
import { createLimitTally, refusalOfAll } from '../context/limit-tally.ts'
import { markHeaders, upstreamHeaders, wishesOf } from './marks.ts'
import { pledgeOf } from './pledge.ts'
import { lastOf, refuseHeld, refuseLength } from './refused-body.ts'

/** An admitted request, from its head until its answer was taken or given up. */
interface Received {
  readonly call: Call
  readonly admitted: AdmittedCall
  readonly flights: Flights
  readonly holding: Holding
  /** Set when it is served. */
  context: GatewayContext | undefined
  stopInflating: (() => void) | undefined
  readonly unsent: Unsent
  isOver: boolean
}

/** Bytes that a request costs besides its body: its objects and those of its answer. */
const requestCost = 8_192
/**
 * Copies of a body while it is served: its bytes, its text, its value, and those of its params on their way to a node. They are charged as
 * the body comes, since one that could not be served had better not come.
 */
const copies = 4

/** Reads the body of an admitted request and answers it. */
export function receive(call: Call, admitted: AdmittedCall | Refusal): void {
  const { options, request, response, head } = call
  if ('refused' in admitted) return refuseCaller(call, admitted)
  const { limits, budget } = options
  const encoding = head.contentEncoding
  const isPlain = encoding === undefined || /^(identity)?$/i.test(encoding)
  if (!isPlain && decoderOf(encoding) === undefined) {
    const message = `send the body in no encoding, or in one of ${acceptedEncodings}`
    return refuse(call, jsonAnswer(415, { code: -32600, message }, ['Accept-Encoding', acceptedEncodings]))
  }
  const flights = flightsOf(request.socket)
  if (!flights.enter(limits.maxInFlight)) {
    const message = `at most ${limits.maxInFlight} calls of a connection are answered at once`
    return refuse(call, jsonAnswer(503, { code: -32005, message }, ['Retry-After', '1']))
  }
  const holding = new Holding(budget.account(admitted.principal.project.id))
  const received: Received = {
    call,
    admitted,
    flights,
    holding,
    context: undefined,
    stopInflating: undefined,
    unsent: new Unsent(flights),
    isOver: false,
  }
  const forget = flights.onGone(request.socket, () => end(received))
  response.on('close', () => {
    forget()
    end(received)
  })
  if (!holding.take(requestCost)) return refuseHeld(received)
  flights.whenTaken(() => read(received, isPlain ? undefined : encoding))
}

/** Ends a request whose answer was taken, or whose caller has left. */
function end(received: Received): void {
  if (received.isOver) return
  received.isOver = true
  const { call, flights, holding, context } = received
  flights.leave()
  received.stopInflating?.()
  if (call.response.writableFinished) context?.release()
  else context?.cancel(callerLeft)
  holding.end()
  // The next request may begin.
  received.unsent.set(0)
}

/** Reads the body, and inflates it where it has an encoding. */
function read(received: Received, encoding: string | undefined): void {
  const { call, admitted, holding } = received
  const { request, head } = call
  if (received.isOver) return
  const cap = call.options.limits.maxBodyBytes
  const hold = (bytes: number): boolean => holding.take(copies * bytes)
  readBody(request, head.contentLength, cap, hold, (body) => {
    if (received.isOver) return
    if (body === 'too_large') return refuseLength(call, closeAfter(request.socket))
    if (encoding === undefined || typeof body === 'string') return serve(received, body)
    received.stopInflating = call.inflater.inflate({
      project: admitted.principal.project.id,
      decode: decoderOf(encoding)!,
      body,
      cap,
      hold,
      done(plain) {
        received.stopInflating = undefined
        if (plain === 'too_large') return refuseLength(call)
        if (plain !== 'broken') return serve(received, plain)
        const message = `parse error: the body is no whole ${encoding}`
        refuse(call, jsonAnswer(400, { code: -32700, message }))
      },
    })
  })
}

/** Serves a whole body, after the batches before it on its connection: a caller has each answer before the next one grows. */
function serve(received: Received, body: Uint8Array | BodyRefusal): void {
  if (typeof body === 'string') return refuseHeld(received)
  received.flights.whenTaken(() => {
    if (!received.isOver) begin(received, body)
  })
}

function begin(received: Received, body: Uint8Array): void {
  const { call, admitted, holding } = received
  const { options, response, head, traceId, span } = call
  received.unsent.set(pledgeOf(body))
  const { network, principal, denied, apiVersion } = admitted
  const { clock } = options
  const timeouts = options.timeouts.at(network.name, principal.project.id)
  const begunAt = clock.now()
  const metered = options.metering.callerOf(principal, network.place)
  const tally = metered?.limiter && createLimitTally()
  const wishes = wishesOf(directivesOf(head, call.request.url ?? '', principal.project), response)
  const context = new GatewayContext(
    { clock, deadline: begunAt + timeouts.longestMs, acceptStream: true, tenant: principal.project.id },
    {
      principal,
      denied,
      network: network.name,
      traceId,
      span,
      apiVersion,
      holding,
      timeouts,
      metered,
      tally,
      inlineMarks: wishes.inlineMarks,
      skipsCache: wishes.skipsCache,
      consistency: wishes.consistency,
      unknownDirective: wishes.unknownDirective,
    },
  )
  received.context = context
  network.server(body, context).then(
    (reply) => {
      if (!response.destroyed && !received.isOver) send(reply, { received, context, begunAt })
    },
    (thrown: unknown) => fail(call, thrown),
  )
}

/** A call that has reached its network. */
interface ServedCall {
  readonly received: Received
  readonly context: GatewayContext
  /** The clock when the whole request had come, in ms. */
  readonly begunAt: number
}

type Arriving = AsyncIterable<Uint8Array>

/** The bracket in front of a batch's results. */
const batchStart = 0x5b

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const

function send({ kind, body, rejected, meta }: RpcReply, served: ServedCall): void {
  const { call, admitted } = served.received
  const { network, principal } = admitted
  const origin = upstreamHeaders(meta, network, principal.project.id)
  const headers = call.headers.concat(markHeaders(meta), origin, limitHeaders(served.context.caller))
  if (typeof body === 'string') {
    if (!holdAnswer(served, body.length)) return
    const { tally } = served.context.caller
    const why = rejected ?? (kind === 'calls' && tally ? refusalOfAll(tally) : undefined)
    const status = why === undefined ? statuses[kind] : statusOf(why)
    countAnswer(served, status)
    noteUnread(call.options, body, served.context, status)
    const bytes = String(Buffer.byteLength(body))
    const lines = ['Content-Type', 'application/json', 'Content-Length', bytes].concat(headers)
    if (rejected !== undefined) network.rejected(call.traceId, rejected)
    if (why !== undefined) lines.push(...retryAfterHeader(why))
    return void call.response.writeHead(status, lines).end(body)
  }
  const chunks = Array.isArray(body) ? (body as readonly Uint8Array[]) : undefined
  const length = chunks?.reduce((sum, { byteLength }) => sum + byteLength, 0)
  if (length !== undefined && !holdAnswer(served, length)) return
  const isCodable = call.options.compression.isOn && chunks?.[0]![0] !== batchStart
  if (isCodable) headers[headers.indexOf('Vary') + 1] = 'Origin, Accept-Encoding'
  const isCoded = isCodable && acceptsGzip(call.request.rawHeaders) && !call.compressor.isBusy
  const hasRoom = (isCoded || chunks === undefined) && served.received.holding.takePassing(streamCost)
  if (isCoded && hasRoom) {
    const coded = call.compressor.gzip(chunks ?? (body as Arriving), (bytes) => pass(bytes, served))
    return void sendArriving(coded, [...headers, 'Content-Encoding', 'gzip'], served, true)
  }
  if (chunks === undefined) return void sendArriving(body as Arriving, headers, served, hasRoom)
  countAnswer(served, 200)
  call.response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(length), ...headers])
  writeChunks(call.response, chunks)
}

/** Charges an answer of `bytes` until it was taken; false, with an error sent instead, where it may not be held. */
function holdAnswer(served: ServedCall, bytes: number): boolean {
  const { received } = served
  const { holding } = received
  // The results of a batch are charged already.
  if (bytes > holding.results && !holding.takeResult(bytes - holding.results)) {
    sendRejection(served, holding.refusal(), lastOf(received.flights, received.call))
    return false
  }
  received.unsent.set(bytes)
  return true
}

/** Answers a call whose answer cannot be sent with the reason. */
function sendRejection(served: ServedCall, why: RpcError, further: readonly string[] = []): void {
  const { call, admitted } = served.received
  countAnswer(served, statusOf(why))
  admitted.network.rejected(call.traceId, why)
  noteBroken(call.options, served.context, why)
  const headers = [...retryAfterHeader(why), ...further, ...limitHeaders(served.context.caller)]
  const answer = jsonAnswer(statusOf(why), describe(why), headers)
  sendAnswer(call.response, printAnswer(answer, call.traceId), call.headers)
}

function countAnswer({ received, begunAt }: ServedCall, status: number): void {
  const { call, admitted } = received
  admitted.network.metrics.answered(status, call.options.clock.now() - begunAt)
}

/** Notes that bytes of an answer went on: it has all of its time again. */
function pass(bytes: number, { received, context }: ServedCall): void {
  const { clock, limits, onPassed } = received.call.options
  onPassed(bytes)
  context.extend(clock.now() + limits.requestTimeoutMs)
}

/** Sends an answer that is still arriving. The status waits for the first bytes: an answer that never begins is an outage. */
async function sendArriving(body: Arriving, headers: string[], served: ServedCall, hasRoom: boolean): Promise<void> {
  const { received, context } = served
  const { call, admitted, holding, flights } = received
  const { options, response, traceId } = call
  const source = body[Symbol.asyncIterator]()
  if (!hasRoom) {
    source.return?.().then(undefined, () => {})
    return sendRejection(served, holding.refusal(), lastOf(flights, call))
  }
  let first: IteratorResult<Uint8Array>
  try {
    first = await source.next()
  } catch (thrown) {
    return sendRejection(served, toRpcError(thrown, 'disconnected', 'the answer broke off'))
  }
  countAnswer(served, 200)
  response.writeHead(200, ['Content-Type', 'application/json', ...headers])
  const why = await writeArriving(response, first.value as Uint8Array, source, {
    context,
    flights,
    blocks: options.blocks,
    clock: options.clock,
    turn: (bytes) => holding.turn(bytes),
    onPassed: (bytes) => pass(bytes, served),
  })
  if (why === undefined) return
  noteBroken(options, context, why)
  admitted.network.rejected(traceId, why)
}
