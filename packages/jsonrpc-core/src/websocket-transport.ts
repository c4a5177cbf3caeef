import { cutAnswer, invalid, readAnswer, toResponse } from './answer.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { printCall } from './frame.ts'
import { skipSpace } from './json-scan.ts'
import { createLiveSubscription, type LiveSubscription } from './live-subscription.ts'
import { portFailure } from './port-failure.ts'
import { type Push, readPush, subscriptionKey } from './push.ts'
import { rawJsonFromText } from './raw-json.ts'
import type { RpcRequest } from './request.ts'
import type { RpcResponse, RpcResult } from './response.ts'
import type { SubscriptionFacts } from './schema/method-spec.ts'
import { endUnopened } from './server-subscription.ts'
import { createSocketLink, tooLongMessage } from './socket-link.ts'
import type { RpcTransport } from './transport.ts'
import type { WebSocketTransportOptions } from './websocket-options.ts'
import type { RawJson } from './wire.ts'

/** Silence of a peer after which a call's timeout drops the connection, in ms. */
const silentAfterMs = 3_000
/** Unsent bytes past which new calls are refused. */
const mostUnsentBytes = 16 * 1024 * 1024

interface Call {
  readonly id: number
  readonly frame: string
  readonly facts: SubscriptionFacts | undefined
  readonly context: RpcContext
  readonly resolve: (response: RpcResponse) => void
  readonly reject: (why: RpcError) => void
  forget: () => void
}

/**
 * Makes a handler that asks one peer over one WebSocket, opened by the first call. A drop rejects pending calls and ends the
 * subscriptions; the transport then reconnects by itself, for ever. Meanwhile a call waits for the attempt under
 * way, or is rejected at once as `connect`, not sent, with `retryAfterMs`.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): RpcTransport {
  const { clock = systemClock, maxMessageBytes = 10 * 1024 * 1024, maxPending = 10_000 } = options
  const { subscriptions: methods = {}, maxHeldEvents = 1_000 } = options
  /** Calls that wait for the connection. */
  const waiting = new Set<Call>()
  const pending = new Map<number, Call>()
  const subscriptions = new Map<string, LiveSubscription>()
  /** Calls whose answers nobody waits for. */
  const abandoned = new Set<number>()
  /** Subscribing calls without an answer yet, and the events that came before theirs, with the sum of their lengths. */
  let opening = 0
  let early: (Push & { readonly length: number })[] = []
  let earlyLength = 0
  let lastId = 0
  let heardAt = 0
  let unwatch: (() => void) | undefined

  const link = createSocketLink(options, maxMessageBytes, {
    opened() {
      heardAt = clock.now()
      const calls = [...waiting]
      waiting.clear()
      for (const call of calls) send(call)
      unwatch = options.watch?.({
        clock,
        heardAt: () => heardAt,
        ask: (method, params) => sendUnasked(method, JSON.stringify(params)),
        drop: link.drop,
      })
    },
    heard(data) {
      heardAt = clock.now()
      if (typeof data !== 'string') distrust('a text message was expected')
      else if (data.length > maxMessageBytes) link.drop(new RpcError('too_large', tooLongMessage(maxMessageBytes)))
      else receive(data)
    },
    dropped(why) {
      const unsent = [...waiting]
      const sent = [...pending.values()]
      const ended = [...subscriptions.values()]
      unwatch?.()
      unwatch = undefined
      waiting.clear()
      pending.clear()
      abandoned.clear()
      subscriptions.clear()
      opening = 0
      forgetEarly()
      const { code, message, httpStatus } = why
      for (const call of unsent) fail(call, new RpcError(code, message, { delivery: 'not_sent', httpStatus }))
      for (const call of sent) fail(call, why)
      // A transport closed by its owner ends its subscriptions without an error.
      for (const subscription of ended) subscription.end(code === 'aborted' ? undefined : why)
    },
  })

  function handler(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      if (context.cancelled !== undefined) return reject(context.cancelled)
      if (pending.size + waiting.size >= maxPending) return reject(overloaded('too many calls wait for an answer'))
      const id = ++lastId
      const facts = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      const call: Call = { id, frame: printCall(id, request), facts, context, resolve, reject, forget: () => {} }
      if (link.socket !== undefined) return send(call)
      const why = link.connect()
      if (why !== undefined) return reject(why)
      waiting.add(call)
      call.forget = context.onCancel((reason) => {
        waiting.delete(call)
        reject(new RpcError(reason.code, reason.message, { cause: reason, delivery: 'not_sent' }))
      })
    })
  }

  function send(call: Call): void {
    const { id, facts, reject } = call
    const socket = link.socket!
    call.forget()
    if (socket.bufferedAmount > mostUnsentBytes) {
      return reject(overloaded('the connection does not take more calls now'))
    }
    pending.set(id, call)
    if (facts !== undefined) opening++
    const sentAt = clock.now()
    call.forget = call.context.onCancel((why) => {
      // A subscription whose caller has left is ended when its id arrives.
      if (facts === undefined) {
        pending.delete(id)
        abandon(id)
      }
      reject(why)
      // After so long a silence the peer is gone, whatever the state of the socket.
      const isSilent = clock.now() - Math.max(sentAt, heardAt) >= silentAfterMs
      if (why.code === 'timeout' && isSilent && link.socket === socket)
        link.drop(new RpcError('disconnected', 'the peer has fallen silent'))
    })
    try {
      socket.send(call.frame)
    } catch (thrown) {
      pending.delete(id)
      if (facts !== undefined) opening--
      fail(call, portFailure(thrown, 'while the call was sent'))
    }
  }

  /** Sends a call and ignores its answer. */
  function sendUnasked(method: string, params: string): void {
    abandon(++lastId)
    const request = { method, params: rawJsonFromText(params), notification: false }
    link.socket?.send(printCall(lastId, request))
  }

  function abandon(id: number): void {
    if (abandoned.size < maxPending) abandoned.add(id)
  }

  function receive(text: string): void {
    const fast = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(text)
    if (fast !== null) return settle(Number(fast[1]), (id) => readAnswer(text, id))
    const answer = cutAnswer(text, skipSpace(text, 0))
    if (answer?.method !== undefined) {
      const push = readPush(answer.method, answer.params)
      const subscription = push && subscriptions.get(push.id)
      if (subscription !== undefined) subscription.deliver(push!.method, push!.result)
      else if (push !== undefined && opening > 0) hold({ ...push, length: text.length })
    } else if (answer?.id !== undefined && /^\d{1,15}$/.test(answer.id)) {
      settle(Number(answer.id), () => toResponse(answer))
    } else if (answer?.error !== undefined && (answer.id === undefined || answer.id === 'null')) {
      // A peer that could not read a call cannot name it. If one call alone is unanswered, the error is its answer.
      const [only] = pending.keys()
      if (pending.size === 1 && abandoned.size === 0) settle(only!, () => toResponse(answer))
    }
    // The answer might belong to any call, so no later answer can be trusted.
    else distrust('a message came that answers no call')
  }

  function settle(id: number, read: (id: number) => RpcResponse): void {
    const call = pending.get(id)
    // A late answer to a cancelled call.
    if (call === undefined) return void abandoned.delete(id)
    pending.delete(id)
    call.forget()
    try {
      const response = read(id)
      if (call.facts === undefined || response.error !== undefined) return call.resolve(response)
      const subscribed = subscribe(response, call.facts)
      if (call.context.cancelled === undefined) call.resolve(subscribed)
      else endUnopened(subscribed.subscription)
    } catch (thrown) {
      call.reject(thrown instanceof RpcError ? thrown : invalid('the answer could not be read'))
    } finally {
      if (call.facts !== undefined && --opening === 0) forgetEarly()
    }
  }

  /** Keeps an event that may belong to a subscription whose id has not come yet. The oldest make room. */
  function hold(push: (typeof early)[number]): void {
    early.push(push)
    earlyLength += push.length
    while (early.length > maxHeldEvents || earlyLength > maxMessageBytes) earlyLength -= early.shift()!.length
  }

  function forgetEarly(): void {
    early = []
    earlyLength = 0
  }

  /** Registers a new subscription in the same turn, so that no event is missed. */
  function subscribe(
    response: RpcResult,
    { unsubscribe }: SubscriptionFacts,
  ): RpcResult & { readonly subscription: LiveSubscription } {
    // This transport makes no streams.
    const token = (response.result as RawJson).text()
    const id = subscriptionKey(token)
    if (id === undefined || subscriptions.has(id)) throw invalid('a new subscription id was expected')
    const subscription = createLiveSubscription(id, maxHeldEvents, () => {
      if (subscriptions.get(id) !== subscription) return
      subscriptions.delete(id)
      sendUnasked(unsubscribe, `[${token}]`)
    })
    subscriptions.set(id, subscription)
    for (const push of early) if (push.id === id) subscription.deliver(push.method, push.result)
    return { ...response, subscription }
  }

  function distrust(message: string): void {
    link.drop(invalid(message))
  }

  const close = async (): Promise<void> => void (await link.close())
  return { handler, close, [Symbol.asyncDispose]: close }
}

function overloaded(message: string): RpcError {
  return new RpcError('overloaded', message, { delivery: 'not_sent' })
}

function fail(call: Call, why: RpcError): void {
  call.forget()
  call.reject(why)
}
