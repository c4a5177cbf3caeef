import { cutAnswer, invalid, readAnswer, toResponse } from './answer.ts'
import type { RpcContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { printCall } from './frame.ts'
import { skipSpace } from './json-scan.ts'
import { portFailure } from './port-failure.ts'
import { readPush } from './push.ts'
import { rawJsonFromValue } from './raw-json.ts'
import type { RpcRequest } from './request.ts'
import type { RpcResponse, RpcResult } from './response.ts'
import type { SubscriptionFacts } from './schema/method-spec.ts'
import { connectSocket, type SocketLike } from './socket-port.ts'
import { createLiveSubscription, type LiveSubscription } from './live-subscription.ts'
import type { RpcTransport } from './transport.ts'
import type { WebSocketTransportOptions } from './websocket-options.ts'

/** A call that times out after so long without any message costs the connection, in ms. */
const silentAfterMs = 3_000
/** How long a peer may take to answer a close, in ms. */
const closeWithinMs = 1_000
/** Past this many unsent bytes new calls are refused. */
const mostUnsentBytes = 16 * 1024 * 1024
/** Close codes that a browser lets a page use, unlike 1002 and 1009. */
const closeCodes = { invalid_response: 4002, too_large: 4009 } as const

/**
 * A handler that asks one peer over one WebSocket, opened by the first call and again by the first call after a drop.
 * A drop rejects what is pending and ends the subscriptions.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): RpcTransport {
  const connection = new Connection(options)
  const close = async (): Promise<void> => connection.close()
  return { handler: (request, context) => connection.call(request, context), close, [Symbol.asyncDispose]: close }
}

interface Call {
  readonly id: number
  readonly frame: string
  readonly facts: SubscriptionFacts | undefined
  readonly context: RpcContext
  readonly resolve: (response: RpcResponse) => void
  readonly reject: (why: RpcError) => void
  forget: () => void
}

class Connection {
  readonly #options: WebSocketTransportOptions
  readonly #maxMessage: number
  readonly #maxPending: number
  #socket: SocketLike | undefined
  #opened = false
  /** Messages that have come. */
  #heard = 0
  #closed = false
  #stopConnectTimer: (() => void) | undefined
  #lastId = 0
  /** Calls that wait for the connection. */
  readonly #waiting = new Set<Call>()
  readonly #pending = new Map<number, Call>()
  readonly #subscriptions = new Map<string, LiveSubscription>()
  /** Calls whose callers left before an answer came. */
  readonly #abandoned = new Set<number>()

  constructor(options: WebSocketTransportOptions) {
    this.#options = options
    this.#maxMessage = options.maxMessageBytes ?? 10 * 1024 * 1024
    this.#maxPending = options.maxPending ?? 10_000
  }

  call(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new RpcError('disconnected', 'the transport is closed', { delivery: 'not_sent' }))
      if (context.cancelled !== undefined) return reject(context.cancelled)
      if (this.#pending.size + this.#waiting.size >= this.#maxPending) {
        return reject(new RpcError('overloaded', 'too many calls wait for an answer', { delivery: 'not_sent' }))
      }
      const id = ++this.#lastId
      const facts = factsOf(this.#options.subscriptions, request.method)
      const call: Call = { id, frame: printCall(id, request), facts, context, resolve, reject, forget: () => {} }
      if (this.#opened) return this.#send(call)
      this.#waiting.add(call)
      call.forget = context.onCancel((why) => {
        this.#waiting.delete(call)
        reject(new RpcError(why.code, why.message, { cause: why, delivery: 'not_sent' }))
      })
      this.#connect()
    })
  }

  close(): void {
    this.#closed = true
    this.#abandon(new RpcError('disconnected', 'the transport was closed'), 1000)
  }

  #connect(): void {
    if (this.#socket !== undefined) return
    const { url, headers = {}, connect = connectSocket, clock = systemClock, connectTimeoutMs = 10_000 } = this.#options
    let socket: SocketLike
    try {
      socket = connect(url, { headers, maxMessageBytes: this.#maxMessage })
    } catch {
      // The platform's message may hold the URL.
      this.#failWaiting(
        new RpcError('connect', 'a ws or wss URL and headers that fit HTTP were expected', { delivery: 'not_sent' }),
      )
      return
    }
    this.#socket = socket
    this.#stopConnectTimer = clock.after(connectTimeoutMs, () => {
      this.#abandon(
        new RpcError('connect', `the WebSocket connection did not open within ${connectTimeoutMs} ms`),
        1000,
      )
    })
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return
      this.#opened = true
      this.#stopConnectTimer?.()
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      for (const call of waiting) this.#send(call)
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#receive(data)
    })
    // `close` follows every `error` and carries the consequence, but not that a message passed the cap of `ws`.
    socket.addEventListener('error', ({ error }) => {
      const tooLong = (error as { code?: unknown } | undefined)?.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH'
      if (tooLong && this.#socket === socket) this.#distrust('too_large', tooLongMessage(this.#maxMessage))
    })
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return
      this.#drop(
        this.#opened
          ? new RpcError('disconnected', `the connection closed (${code})`)
          : new RpcError('connect', 'no WebSocket connection could be made'),
      )
    })
  }

  #send(call: Call): void {
    const { id, frame, facts, context, reject } = call
    const socket = this.#socket!
    call.forget()
    if (socket.bufferedAmount > mostUnsentBytes) {
      return reject(new RpcError('overloaded', 'the connection does not take more calls now', { delivery: 'not_sent' }))
    }
    this.#pending.set(id, call)
    const { clock = systemClock } = this.#options
    const heard = this.#heard
    const sentAt = clock.now()
    call.forget = context.onCancel((why) => {
      // A subscription whose caller has gone is ended when its id arrives.
      if (facts === undefined) {
        this.#pending.delete(id)
        if (this.#abandoned.size < this.#maxPending) this.#abandoned.add(id)
      }
      reject(why)
      // Not a word for so long: the peer is gone, whatever the connection says.
      const isSilent = heard === this.#heard && clock.now() - sentAt >= silentAfterMs
      if (why.code === 'timeout' && isSilent && this.#socket === socket) {
        this.#abandon(new RpcError('disconnected', 'the peer has fallen silent'), 1000)
      }
    })
    try {
      socket.send(frame)
    } catch (thrown) {
      this.#pending.delete(id)
      call.forget()
      reject(portFailure(thrown, 'while the call was sent'))
    }
  }

  #receive(data: unknown): void {
    this.#heard++
    if (typeof data !== 'string') return this.#distrust('invalid_response', 'a text message was expected')
    if (data.length > this.#maxMessage) return this.#distrust('too_large', tooLongMessage(this.#maxMessage))
    const fast = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(data)
    if (fast !== null) {
      this.#answer(Number(fast[1]), (id) => readAnswer(data, id))
      return
    }
    const answer = cutAnswer(data, skipSpace(data, 0))
    if (answer?.method !== undefined) this.#push(answer.method, answer.params)
    else if (answer?.id !== undefined && /^\d{1,15}$/.test(answer.id))
      this.#answer(Number(answer.id), () => toResponse(answer))
    else if (answer?.error !== undefined && (answer.id === undefined || answer.id === 'null')) {
      // A peer that could not read a call cannot name it. It is the only unanswered one's, or the deadline tells.
      const [only] = this.#pending.keys()
      if (this.#pending.size === 1 && this.#abandoned.size === 0) this.#answer(only!, () => toResponse(answer))
    }
    // Whose answer this was cannot be told, so no call can be believed any more.
    else this.#distrust('invalid_response', 'a message came that answers no call of this connection')
  }

  #answer(id: number, read: (id: number) => RpcResponse): void {
    const call = this.#pending.get(id)
    // A late answer to a call that was cancelled.
    if (call === undefined) return void this.#abandoned.delete(id)
    this.#pending.delete(id)
    call.forget()
    try {
      const response = read(id)
      if (call.facts === undefined || response.error !== undefined) return call.resolve(response)
      const subscribed = this.#subscribe(response, call.facts)
      if (call.context.cancelled === undefined) call.resolve(subscribed)
      else subscribed.subscription.open(nowhere)()
    } catch (thrown) {
      call.reject(thrown instanceof RpcError ? thrown : invalid('the answer could not be read'))
    }
  }

  /** Registers a new subscription in the same turn, so that no event is missed. */
  #subscribe(response: RpcResult, facts: SubscriptionFacts): RpcResult & { readonly subscription: LiveSubscription } {
    const id = 'streaming' in response.result ? undefined : response.result.value()
    if (typeof id !== 'string') throw invalid('a subscription id was expected as the result')
    if (this.#subscriptions.has(id)) throw invalid('the subscription id is that of another subscription')
    const subscription = createLiveSubscription(id, this.#options.maxHeldEvents ?? 1_000, () => {
      if (this.#subscriptions.get(id) !== subscription) return
      this.#subscriptions.delete(id)
      if (!this.#opened) return
      // Nobody waits for this answer; it is dropped as a late one.
      const params = rawJsonFromValue([id])
      this.#socket!.send(printCall(++this.#lastId, { method: facts.unsubscribe, params, notification: false }))
    })
    this.#subscriptions.set(id, subscription)
    return { ...response, subscription }
  }

  #push(methodToken: string, params: string | undefined): void {
    const push = readPush(methodToken, params)
    if (push !== undefined) this.#subscriptions.get(push.id)?.deliver(push.method, push.result)
  }

  #distrust(code: 'too_large' | 'invalid_response', message: string): void {
    this.#abandon(new RpcError(code, message), closeCodes[code])
  }

  #abandon(why: RpcError, code: number): void {
    const socket = this.#socket
    this.#drop(why)
    if (socket === undefined) return
    socket.close(code)
    if (socket.terminate === undefined) return
    // `ws` would wait 30 s for a peer that does not answer the close.
    const stop = (this.#options.clock ?? systemClock).after(closeWithinMs, () => socket.terminate?.())
    socket.addEventListener('close', stop)
  }

  #drop(why: RpcError): void {
    this.#socket = undefined
    this.#opened = false
    this.#stopConnectTimer?.()
    const pending = [...this.#pending.values()]
    const subscriptions = [...this.#subscriptions.values()]
    this.#pending.clear()
    this.#abandoned.clear()
    this.#subscriptions.clear()
    this.#failWaiting(new RpcError(why.code, why.message, { delivery: 'not_sent' }))
    for (const call of pending) fail(call, why)
    for (const subscription of subscriptions) subscription.end(why)
  }

  #failWaiting(why: RpcError): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const call of waiting) fail(call, why)
  }
}

function factsOf(
  table: WebSocketTransportOptions['subscriptions'] = {},
  method: string,
): SubscriptionFacts | undefined {
  return Object.hasOwn(table, method) ? table[method] : undefined
}

function fail(call: Call, why: RpcError): void {
  call.forget()
  call.reject(why)
}

function tooLongMessage(cap: number): string {
  return `a message is longer than ${cap} bytes`
}

const nowhere = { event: () => true, gap() {}, end() {} }
