import {
  type BatchReply,
  type ByteAccount,
  createHttpBatch,
  createHttpTransport,
  type HttpPort,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcFailure,
  type SocketPort,
  streamAnswers,
} from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, heartbeat } from '@wayleave/jsonrpc-core/websocket'
import type { VerificationLevel } from '@wayleave/evm-verify'
import type { MethodFacts, SubscriptionFacts } from '@wayleave/jsonrpc-core/schema'
import { type Endpoint, repeatStale, type Turns } from '@wayleave/upstream'
import type { UndiciPort, Way } from '@wayleave/upstream/node'
import { splitCredentials, type UpstreamAddress } from '../config/split-credentials.ts'
import { networkDefaults } from '../config/network-config.ts'
import { namedUpstream, type UpstreamConfig } from '../config/upstream-config.ts'
import { socketPortOn, wayTo } from '../config/upstream-way.ts'
import { redactErrors } from '../redaction/redact-errors.ts'
import { upstreamSecrets } from '../redaction/upstream-secrets.ts'
import { createCallConnections } from './call-connections.ts'
import { inBatches, type InBatchesOptions } from './in-batches.ts'
import { readInTurns } from './read-in-turns.ts'

/** An endpoint with its connections. */
export interface OpenEndpoint extends Endpoint {
  /** How far its answers are verified. */
  readonly verify: VerificationLevel
  /** Opens new connections for further calls over HTTP: its name may have another address by now. */
  renew(): void
  /** Calls a listener, which must not throw, with each failure of a kept connection. Returns a function that forgets it. */
  watchStale(listener: (why: RpcError) => void): () => void
  close(): Promise<void>
}

export interface EndpointOptions extends InBatchesOptions {
  /** Opens the connections of one endpoint, which share them with no other. */
  readonly openPort: (way: Way) => UndiciPort
  /** Opens a WebSocket. Default: one of `ws`, on the way of the upstream. */
  readonly connect?: SocketPort | undefined
  /** A number from 0 up to 1, for the waits between attempts to connect. Default: the real one. */
  readonly random?: (() => number) | undefined
  /** Makes the account of one answer that arrives. */
  readonly accountOf: (context: RpcContext) => ByteAccount
  /** Whether a call does no harm twice, so that it is sent again where a kept connection broke under it. */
  readonly mayRepeat?: ((request: RpcRequest) => boolean) | undefined
  /** The method that asks a node for its chain id. */
  readonly chainIdMethod: string
  readonly maxResponseBytes: number
  /** The level of an upstream that names none. Default `off`. */
  readonly verify?: VerificationLevel | undefined
  /** Prints the `traceparent` of a call to an upstream of a name; undefined: it is told none. Default: none is told any. */
  readonly traceparentOf?: ((upstream: string, context: RpcContext) => string | undefined) | undefined
  /** The turns in which long answers and pushes are read. */
  readonly readingTurns: Turns
}

/** A way to reach a node. */
interface Connections extends Pick<Endpoint, 'handler'>, Partial<Pick<OpenEndpoint, 'renew' | 'watchStale'>> {
  close(): Promise<unknown>
}

/** Creates the endpoint of a configured upstream; nothing is opened before its first call. */
export function createEndpoint(
  upstream: string | UpstreamConfig,
  index: number,
  options: EndpointOptions,
): OpenEndpoint {
  const settings = namedUpstream(upstream, index)
  const { name, url, ws, headers, verify = options.verify ?? networkDefaults.verify } = settings
  // The questions that verify an answer are sent alone, and so are the calls.
  const mostOfBatch = verify === 'off' ? settings.batch?.max : 1
  const byUrl = splitCredentials(url, headers)
  const { compress = byUrl.url.startsWith('https:') } = settings
  const isHttp = byUrl.url.startsWith('http')
  const bySocket = isHttp ? ws && splitCredentials(ws, headers) : byUrl
  const way = wayTo(url, settings)
  const socketWay = isHttp && ws !== undefined ? wayTo(ws, settings) : way
  const calls = isHttp
    ? httpCalls(name, compress ? inGzip(byUrl) : byUrl, way, mostOfBatch, options)
    : socketCalls(byUrl, way, options)
  const secrets = [
    ...upstreamSecrets(url, byUrl.headers),
    ...(ws && bySocket ? upstreamSecrets(ws, bySocket.headers) : []),
    ...way.secrets,
    ...socketWay.secrets,
  ]
  const handler = redactErrors(calls.handler, secrets)
  const renew = (): void => calls.renew?.()
  const watchStale: OpenEndpoint['watchStale'] = (listener) => calls.watchStale?.(listener) ?? ((): void => {})
  if (!bySocket) return { name, verify, handler, carriesSubscriptions: false, renew, watchStale, close: closing(calls) }
  // Subscriptions have a connection of their own, so that no call can cost them theirs.
  const subscriptions = subscriptionFacts(options.facts)
  const pushes = socketPushes(bySocket, socketWay, subscriptions, options)
  const subscribe = redactErrors(pushes.handler, secrets)
  return {
    name,
    verify,
    handler: (request, context) =>
      (Object.hasOwn(subscriptions, request.method) ? subscribe : handler)(request, context),
    carriesSubscriptions: true,
    renew,
    watchStale,
    close: closing(calls, pushes),
  }
}

/** Prints what a configured upstream is connected by: endpoints of equal text are the same. It may hold secrets. */
export function endpointIdentity(
  upstream: string | UpstreamConfig,
  index: number,
  { verify }: Pick<EndpointOptions, 'verify'>,
  limits: { readonly maxUpstreamBytes: number; readonly maxUpstreamCalls: number },
): string {
  const { name, url, ws, headers, compress, batch, proxy, tls, verify: own = verify } = namedUpstream(upstream, index)
  return JSON.stringify([
    name,
    url,
    ws,
    headers,
    compress,
    batch,
    proxy,
    tls,
    own,
    limits.maxUpstreamBytes,
    limits.maxUpstreamCalls,
  ])
}

function closing(...all: readonly Connections[]): () => Promise<void> {
  return async () => void (await Promise.all(all.map((each) => each.close())))
}

/** Asks for compressed answers. */
function inGzip({ url, headers }: UpstreamAddress): UpstreamAddress {
  return { url, headers: { ...headers, 'accept-encoding': 'gzip' } }
}

/** The answer to a batch is decoded and read in one turn of the event loop, unlike that to a single call: longest one, in bytes. */
const longestBatchAnswer = 2_097_152

function httpCalls(
  name: string,
  address: UpstreamAddress,
  way: Way,
  mostOfBatch: number | undefined,
  options: EndpointOptions,
): Connections {
  const { openPort, accountOf, maxResponseBytes, traceparentOf, mayRepeat = () => false, clock } = options
  const port = openPort(way)
  const settings = {
    ...address,
    http:
      traceparentOf === undefined ? port.http : withTraceparent(port.http, (context) => traceparentOf(name, context)),
    maxResponseBytes,
    clock,
  }
  const single = createHttpTransport({ ...settings, answers: streamAnswers(undefined, accountOf) })
  const batch = createHttpBatch({
    ...settings,
    maxResponseBytes: Math.min(maxResponseBytes, longestBatchAnswer),
    accountOf,
  })
  const listeners = new Set<(why: RpcError) => void>()
  const onStale = (why: RpcError): void => listeners.forEach((listener) => listener(why))
  return {
    handler: inBatches(
      repeatStale(single, { mayRepeat, onStale, recover: answerUnderStatus }),
      repeatStale(batch, {
        mayRepeat: () => true,
        onStale,
        recover: refusalUnderStatus,
      }),
      mostOfBatch,
      options,
    ),
    renew: () => port.renew(),
    watchStale: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    close: () => port.close(),
  }
}

/** Statuses whose words concern our key, our quota or our connection, and not the call. */
const ofConnection = new Set([401, 402, 403, 407, 408, 425, 429])
const unavailable = 503
/** The code of a reverted call: only a node that has considered it says that. */
const reverted = 3

/** Takes the error object beside an error status for the answer, which is classified as one under 200 then. */
function answerUnderStatus(why: unknown): RpcFailure {
  if (!(why instanceof RpcError) || why.code !== 'http_status' || why.rpc === undefined) throw why
  // A pause that it asks for is lost beside an answer.
  if ((ofConnection.has(why.httpStatus!) || why.retryAfterMs !== undefined) && why.rpc.code !== reverted) throw why
  return { error: why.rpc }
}

/** Takes the error object beside an error status for what a node says of a batch, unless it says that it is out of order. */
function refusalUnderStatus(why: unknown): BatchReply {
  const { error } = answerUnderStatus(why)
  const { httpStatus: status } = why as RpcError
  if (status === unavailable) throw why
  return { refusal: error, status }
}

/** Tells a node of the trace of a call. */
function withTraceparent(http: HttpPort, traceparentOf: (context: RpcContext) => string | undefined): HttpPort {
  return (request, context) => {
    const value = traceparentOf(context)
    return http(
      value === undefined ? request : { ...request, headers: [...request.headers, 'traceparent', value] },
      context,
    )
  }
}

function socketCalls(address: UpstreamAddress, way: Way, options: EndpointOptions): Connections {
  return createCallConnections(() => createWebSocketTransport(socketSettings(address, way, options)))
}

function socketPushes(
  address: UpstreamAddress,
  way: Way,
  subscriptions: Readonly<Record<string, SubscriptionFacts>>,
  options: EndpointOptions,
): Connections {
  // A dead node pushes as little as a quiet one, and no call on this connection would find out.
  const watch = heartbeat({ method: options.chainIdMethod })
  return createWebSocketTransport({ ...socketSettings(address, way, options), subscriptions, watch })
}

const socketSettings = (address: UpstreamAddress, way: Way, options: EndpointOptions) => {
  const { connect = socketPortOn(way), random, maxResponseBytes, clock, readingTurns } = options
  return {
    ...address,
    connect: readInTurns(connect, readingTurns),
    ...(random && { reconnect: { random } }),
    maxMessageBytes: maxResponseBytes,
    clock,
  }
}

function subscriptionFacts(facts: MethodFacts): Readonly<Record<string, SubscriptionFacts>> {
  const opening = Object.entries(facts).flatMap(([method, { subscription }]) =>
    subscription === undefined ? [] : [[method, subscription] as const],
  )
  return Object.fromEntries(opening)
}
