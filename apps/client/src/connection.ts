import { evmRules } from '@wayleave/evm-types'
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
import type { ClientApis, OtherMethods } from './api.ts'
import { whyBlocked } from './blocked-port.ts'
import { cleanErrors, cleanRejections } from './clean-errors.ts'
import { type LazyBearer, loadBearer } from './credentials/load-bearer.ts'
import { echoing } from './echo.ts'
import { reopen } from './events/reopen.ts'
import type { ClientOptions } from './options.ts'
import { type Redaction, redactionOf } from './redaction.ts'
import { type Target, targetOf } from './urls.ts'

/** The chain that carries a client's calls. */
export interface Connection {
  readonly handler: RpcHandler
  /**
   * The same chain for single calls whose caller checks that each answer is to its question. It refuses to open or end subscriptions, as
   * nobody would receive their events.
   */
  readonly calls: RpcHandler
  /** Present where calls carry a JWT. */
  readonly bearer: LazyBearer | undefined
  readonly redaction: Redaction
  close(): Promise<void>
}

const same: RpcMiddleware<RpcContext> = (next) => next

/** Builds the chain of calls: coalescing, verification, retry, attempt timeout, transport. Subscriptions have a WebSocket of their own. */
export function connect(options: ClientOptions, apis: ClientApis): Connection {
  const { verify = same, resubscribe = true } = options
  if (typeof verify !== 'function') {
    throw new TypeError("verify: expected a middleware, such as verify('proven') of @wayleave/client/verify")
  }
  const others = Object.values(apis)
  const subscriptions = Object.assign(
    { eth_subscribe: evmRules.eth_subscribe.subscription! },
    ...others.map(({ methods }) => methods?.subscriptions),
  ) as OtherMethods['subscriptions']
  const effectOf = (method: string): string | undefined =>
    Object.hasOwn(evmRules, method)
      ? evmRules[method as keyof typeof evmRules].effect
      : others.map(({ methods }) => methods?.effectOf(method)).find(Boolean)
  const isRead: IsRead = (method) => effectOf(method) === 'read'
  const target = targetOf(options, others.map(({ path }) => path).join(''))
  const redaction = redactionOf(
    options,
    others.map(({ url }) => url),
  )
  const bearer = options.token === undefined ? undefined : loadBearer(options.token, redaction.add)
  const socket = socketOf(target, bearer, redaction, options, subscriptions)
  const again = retryOf(options, isRead)
  const attempt = options.attemptTimeoutMs === undefined ? same : timeout(options.attemptTimeoutMs)
  const transport = transportOf(target, socket, bearer, redaction, options)
  const unechoed = coalesceOf(options, isRead)(verify(again(attempt(transport))))
  const calls = echoing(unechoed)
  const below = socket && again(bearer?.before(socket.handler) ?? socket.handler)
  const kept = below && resubscribe !== false ? (resubscribe === true ? reopen : resubscribe)(below, calls) : undefined
  const pushes = kept?.handler ?? below ?? refuse
  const handler: RpcHandler = (request, context) =>
    Object.hasOwn(subscriptions, request.method) ? pushes(request, context) : calls(request, context)
  const single: RpcHandler = (request, context) =>
    effectOf(request.method) === 'session' ? refuseSession(request, context) : unechoed(request, context)
  return {
    handler: cleanRejections(handler, redaction),
    calls: cleanRejections(single, redaction),
    redaction,
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
  redaction: Redaction,
  { heartbeat: choice = {}, onReconnect }: ClientOptions,
  subscriptions: OtherMethods['subscriptions'],
): RpcTransport | undefined {
  if (ws === undefined) return undefined
  const beat = choice === false ? undefined : heartbeat({ method: 'eth_chainId', ...choice })
  let opened = 0
  const watch: ConnectionWatch = (connection) => {
    if (opened++ > 0) onReconnect?.()
    return beat?.(connection) ?? (() => {})
  }
  const authorized = bearer === undefined ? {} : { connect: bearer.connect }
  const { words } = redaction
  const transport = createWebSocketTransport({ url: ws, headers, subscriptions, watch, words, ...authorized })
  return { ...transport, handler: cleanErrors(ws, redaction)(transport.handler) }
}

function transportOf(
  { http, headers }: Target,
  socket: RpcTransport | undefined,
  bearer: LazyBearer | undefined,
  redaction: Redaction,
  options: ClientOptions,
): RpcHandler {
  const { transport, batch = false } = options
  if (transport === 'websocket' && socket === undefined) {
    throw new TypeError('transport: websocket needs a ws or wss URL, or the URL of a gateway and an apiKey')
  }
  if (http === undefined || transport === 'websocket') {
    return bearer?.before(socket!.handler) ?? socket!.handler
  }
  const blocked = whyBlocked(http)
  if (blocked !== undefined) {
    return async () => {
      throw new RpcError('denied', blocked, { delivery: 'not_sent' })
    }
  }
  const common = { url: http, headers, words: redaction.words, ...(bearer && { http: bearer.http }) }
  const sending =
    batch === false
      ? createHttpTransport(common)
      : createBatchingTransport({ ...common, ...(batch === true ? {} : batch) })
  return cleanErrors(http, redaction)(sending)
}

/** Tells whether a table knows the method as a read; an unknown method counts as a write. */
type IsRead = (method: string) => boolean

function coalesceOf(options: ClientOptions, isRead: IsRead): RpcMiddleware<RpcContext> {
  if (options.coalesce === false) return same
  return coalesce({
    clock: systemClock,
    key: ({ method, params }) => (isRead(method) ? `${method} ${params?.text() ?? ''}` : undefined),
  })
}

function retryOf({ retry: choice, resendTransactions }: ClientOptions, isRead: IsRead): RpcMiddleware<RpcContext> {
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

const refuseSession: RpcHandler = async ({ method }) => {
  const message = `${method}: use subscribe or events, and unsubscribe of what they give`
  throw new RpcError('unavailable', message, { delivery: 'not_sent' })
}

const refuse: RpcHandler = async ({ method }) => {
  const message = `${method} needs a WebSocket: give a ws or wss URL, or the URL of a gateway and an apiKey`
  throw new RpcError('unavailable', message, { delivery: 'not_sent' })
}
