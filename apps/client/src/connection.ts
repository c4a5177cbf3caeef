import { evmMethods } from '@wayleave/evm-types'
import {
  coalesce,
  createBatchingTransport,
  createHttpTransport,
  retry,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcMiddleware,
  type RpcTransport,
  systemClock,
  timeout,
} from '@wayleave/jsonrpc-core'
import { type ConnectionWatch, createWebSocketTransport, heartbeat } from '@wayleave/jsonrpc-core/websocket'
import type { StarknetVersion } from '@wayleave/starknet-types'
import { type LazyBearer, loadBearer } from './credentials/load-bearer.ts'
import type { Pushes } from './events/pushes.ts'
import { loadOnce } from './load-once.ts'
import type { ClientOptions } from './options.ts'
import { starknetEffect } from './starknet/starknet-effect.ts'
import { starknetSubscriptions } from './starknet/starknet-subscriptions.ts'
import { type GasHost, type Target, targetOf } from './urls.ts'
import { verificationOf } from './verification.ts'

/** The chain that carries a client's calls. */
export interface Connection {
  readonly handler: RpcHandler
  /** The same chain for single calls. It refuses to open or end subscriptions, as nobody would receive their events. */
  readonly calls: RpcHandler
  readonly gas: GasHost | undefined
  /** Present where calls carry a JWT. */
  readonly bearer: LazyBearer | undefined
  close(): Promise<void>
}

type Options = ClientOptions<StarknetVersion>

const subscriptions = { eth_subscribe: evmMethods.eth_subscribe.subscription!, ...starknetSubscriptions }
const same: RpcMiddleware<RpcContext> = (next) => next

/** Builds the chain of calls: coalescing, verification, retry, attempt timeout, transport. Subscriptions have a WebSocket of their own. */
export function connect(options: Options): Connection {
  const target = targetOf(options)
  const bearer = options.token === undefined ? undefined : loadBearer(options.token)
  const socket = socketOf(target, bearer, options)
  const again = retryOf(options)
  const attempt = options.attemptTimeoutMs === undefined ? same : timeout(options.attemptTimeoutMs)
  const verified = verificationOf(options) ?? same
  const calls = coalesceOf(options)(verified(again(attempt(transportOf(target, socket, bearer, options)))))
  const below = socket && again(bearer?.before(socket.handler) ?? socket.handler)
  let kept: Pushes | undefined
  const load = loadOnce(async () => {
    kept = (await import('./events/load-events.ts')).createPushes(below!, calls)
    return kept
  })
  const pushes: RpcHandler =
    below === undefined || options.resubscribe === false
      ? (below ?? refuse)
      : async (request, context) => (await load()).handler(request, context)
  return {
    handler: (request, context) =>
      Object.hasOwn(subscriptions, request.method) ? pushes(request, context) : calls(request, context),
    calls: (request, context) =>
      isSession(request.method) ? refuseSession(request, context) : calls(request, context),
    gas: target.gas,
    bearer,
    async close() {
      kept?.close()
      await socket?.close()
    },
  }
}

function socketOf(
  { ws, headers }: Target,
  bearer: LazyBearer | undefined,
  { heartbeat: choice = {}, onReconnect }: Options,
): RpcTransport | undefined {
  if (ws === undefined) return undefined
  const beat = choice === false ? undefined : heartbeat({ method: 'eth_chainId', ...choice })
  let opened = 0
  const watch: ConnectionWatch = (connection) => {
    if (opened++ > 0) onReconnect?.()
    return beat?.(connection) ?? (() => {})
  }
  const authorized = bearer === undefined ? {} : { connect: bearer.connect }
  return createWebSocketTransport({ url: ws, headers, subscriptions, watch, ...authorized })
}

function transportOf(
  { http, headers }: Target,
  socket: RpcTransport | undefined,
  bearer: LazyBearer | undefined,
  options: Options,
): RpcHandler {
  const { transport, batch = false } = options
  if (transport === 'websocket' && socket === undefined) {
    throw new TypeError('transport: websocket needs a ws or wss URL, or the URL of a gateway and an apiKey')
  }
  if (http === undefined || transport === 'websocket') {
    return bearer?.before(socket!.handler) ?? socket!.handler
  }
  const authorized = bearer === undefined ? {} : { http: bearer.http }
  if (batch === false) return createHttpTransport({ url: http, headers, ...authorized })
  return createBatchingTransport({ url: http, headers, ...authorized, ...(batch === true ? {} : batch) })
}

/** Tells whether the EVM or a Starknet table knows the method as a read; an unknown method counts as a write. */
function isRead(method: string): boolean {
  return effectOf(method) === 'read'
}

function effectOf(method: string): string | undefined {
  return Object.hasOwn(evmMethods, method)
    ? evmMethods[method as keyof typeof evmMethods].effect
    : starknetEffect(method)
}

function coalesceOf(options: Options): RpcMiddleware<RpcContext> {
  if (options.coalesce === false) return same
  return coalesce({
    clock: systemClock,
    key: ({ method, params }) => (isRead(method) ? `${method} ${params?.text() ?? ''}` : undefined),
  })
}

function retryOf({ retry: choice, resendTransactions }: Options): RpcMiddleware<RpcContext> {
  if (resendTransactions !== undefined && typeof resendTransactions !== 'function') {
    throw new TypeError('resendTransactions: expected the function alreadyKnown')
  }
  if (choice === false) return same
  return retry({
    ...choice,
    isRepeatable: ({ method }) =>
      isRead(method) || (resendTransactions !== undefined && method === 'eth_sendRawTransaction'),
    ...(resendTransactions === undefined ? {} : { alreadyDone: resendTransactions }),
  })
}

/** Tells whether a method has a meaning only on its own connection. */
function isSession(method: string): boolean {
  return effectOf(method) === 'session' || /^starknet_(un)?subscribe/.test(method)
}

const refuseSession: RpcHandler = async ({ method }) => {
  const message = `${method}: use subscribe or events, and unsubscribe of what they give`
  throw new RpcError('unavailable', message, { delivery: 'not_sent' })
}

const refuse: RpcHandler = async ({ method }) => {
  const message = `${method} needs a WebSocket: give a ws or wss URL, or the URL of a gateway and an apiKey`
  throw new RpcError('unavailable', message, { delivery: 'not_sent' })
}
