import { cutAnswer, invalid, readAnswer, toResponse } from './answer.ts'
import type { RpcContext } from './context.ts'
import { RpcError } from './error.ts'
import { printCall } from './frame.ts'
import type { RpcHandler } from './handler.ts'
import { cutMembers, skipSpace } from './json-scan.ts'
import { rawJsonFromText, rawJsonFromValue } from './raw-json.ts'
import type { RpcRequest } from './request.ts'
import type { RpcResponse } from './response.ts'
import type { SubscriptionFacts } from './schema/method-spec.ts'
import { connectSocket, type SocketLike, type SocketPort } from './socket-port.ts'
import { createLiveSubscription, type LiveSubscription } from './live-subscription.ts'

export interface WebSocketTransportOptions {
  /** Where the peer is; may hold a key in its path. It appears in no error. */
  readonly url: string
  /** Request headers of the upgrade (not in browsers). */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the platform's WebSocket. */
  readonly connect?: SocketPort
  /** Which methods open subscriptions. Default none. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionFacts>>
  /** Longest message, in bytes (UTF-16 units in browsers). Default 10 MiB. */
  readonly maxMessageBytes?: number
  /** Most calls waiting for an answer. Default 10,000. */
  readonly maxPending?: number
  /** Most events that wait for a subscription to be opened. Default 1,000. */
  readonly maxHeldEvents?: number
}

/** A transport that owns something to close. */
export interface RpcTransport {
  readonly handler: RpcHandler
  /** Rejects what is pending, ends subscriptions and closes the connection. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Past this many unsent bytes new calls are refused. */
const mostUnsentBytes = 16 * 1024 * 1024

/**
 * A handler that asks one peer over one WebSocket, opened by the first call and again by the first call after a drop.
 * A drop rejects what is pending and ends the subscriptions.
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): RpcTransport {
  const connection = new Connection(options)
  const close = async (): Promise<void> => connection.close()
  return { handler: (request, context) => connection.call(request, context), close, [Symbol.asyncDispose]: close }
}

interface Pending {
  readonly facts: SubscriptionFacts | undefined
  settle(response: RpcResponse): void
  fail(why: RpcError): void
}

class Connection {
  readonly #options: WebSocketTransportOptions
  readonly #maxMessage: number
  #socket: SocketLike | undefined
  #opened = false
  #closed = false
  #lastId = 0
  /** Calls that wait for the connection. */
  readonly #waiting = new Set<{ go(): void; fail(why: RpcError): void }>()
  readonly #pending = new Map<number, Pending>()
  readonly #subscriptions = new Map<string, LiveSubscription>()

  constructor(options: WebSocketTransportOptions) {
    this.#options = options
    this.#maxMessage = options.maxMessageBytes ?? 10 * 1024 * 1024
  }

  call(request: RpcRequest, context: RpcContext): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new RpcError('disconnected', 'the transport is closed', { delivery: 'not_sent' }))
      if (context.cancelled !== undefined) return reject(context.cancelled)
      if (this.#pending.size + this.#waiting.size >= (this.#options.maxPending ?? 10_000)) {
        return reject(new RpcError('overloaded', 'too many calls wait for an answer', { delivery: 'not_sent' }))
      }
      if (this.#opened) return this.#send(request, context, resolve, reject)
      const waiter = {
        go: (): void => {
          forget()
          this.#send(request, context, resolve, reject)
        },
        fail: (why: RpcError): void => {
          forget()
          reject(why)
        },
      }
      this.#waiting.add(waiter)
      const forget = context.onCancel((why) => {
        this.#waiting.delete(waiter)
        reject(new RpcError(why.code, why.message, { cause: why, delivery: 'not_sent' }))
      })
      this.#connect()
    })
  }

  close(): void {
    this.#closed = true
    const socket = this.#socket
    this.#drop(new RpcError('disconnected', 'the transport was closed'))
    socket?.close(1000)
  }

  #connect(): void {
    if (this.#socket !== undefined) return
    const { url, headers = {}, connect = connectSocket } = this.#options
    let socket: SocketLike
    try {
      socket = connect(url, { headers, maxMessageBytes: this.#maxMessage })
    } catch {
      // The platform's message may hold the URL.
      this.#failWaiting(new RpcError('connect', 'the WebSocket URL was refused', { delivery: 'not_sent' }))
      return
    }
    this.#socket = socket
    socket.addEventListener('open', () => {
      if (this.#socket !== socket) return
      this.#opened = true
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      for (const waiter of waiting) waiter.go()
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket === socket) this.#receive(data)
    })
    // `close` follows every `error` and carries the consequence.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket === socket) this.#drop(new RpcError('disconnected', `the connection closed (${code})`))
    })
  }

  #send(
    request: RpcRequest,
    context: RpcContext,
    resolve: (response: RpcResponse) => void,
    reject: (why: RpcError) => void,
  ): void {
    const socket = this.#socket!
    if (socket.bufferedAmount > mostUnsentBytes) {
      return reject(new RpcError('overloaded', 'the connection does not take more calls now', { delivery: 'not_sent' }))
    }
    const id = ++this.#lastId
    const facts = this.#options.subscriptions?.[request.method]
    const forget = context.onCancel((why) => {
      // A subscription whose caller has gone is ended when its id arrives.
      if (facts === undefined) this.#pending.delete(id)
      reject(why)
    })
    this.#pending.set(id, {
      facts,
      settle: (response) => {
        forget()
        if (context.cancelled !== undefined && response.error === undefined) response.subscription?.open(nowhere)()
        resolve(response)
      },
      fail: (why) => {
        forget()
        reject(why)
      },
    })
    socket.send(printCall(id, request))
  }

  #receive(data: unknown): void {
    if (typeof data !== 'string' || data.length > this.#maxMessage) {
      this.#abandon(typeof data === 'string' ? 'too_large' : 'invalid_response')
      return
    }
    const fast = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),/.exec(data)
    if (fast !== null) {
      this.#answer(Number(fast[1]), (id) => readAnswer(data, id))
      return
    }
    const answer = cutAnswer(data, skipSpace(data, 0))
    if (answer?.method !== undefined) this.#push(answer.method, answer.params)
    else if (answer?.id !== undefined && /^\d{1,15}$/.test(answer.id)) this.#answer(Number(answer.id), () => toResponse(answer))
    // Whose answer this was cannot be told, so no call can be believed any more.
    else this.#abandon('invalid_response')
  }

  #answer(id: number, read: (id: number) => RpcResponse): void {
    const pending = this.#pending.get(id)
    // A late answer to a call that was cancelled.
    if (pending === undefined) return
    this.#pending.delete(id)
    try {
      const response = read(id)
      pending.settle(pending.facts === undefined || response.error !== undefined ? response : this.#subscribe(response, pending.facts))
    } catch (thrown) {
      pending.fail(thrown instanceof RpcError ? thrown : invalid('the answer could not be read', thrown))
    }
  }

  /** Registers a new subscription in the same turn, so that no event is missed. */
  #subscribe(response: Exclude<RpcResponse, { error: object }>, facts: SubscriptionFacts): RpcResponse {
    const id = 'streaming' in response.result ? undefined : response.result.value()
    if (typeof id !== 'string') throw invalid('a subscription id was expected as the result')
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
    if (params === undefined) return
    let id: unknown
    let result: string | undefined
    cutMembers(params, 0, (key, start, end) => {
      if (key === 'result') result = params.slice(start, end)
      else if (key === 'subscription') id = parseToken(params.slice(start, end))
    })
    const method = parseToken(methodToken)
    if (typeof id !== 'string' || typeof method !== 'string' || result === undefined) return
    this.#subscriptions.get(id)?.deliver(method, rawJsonFromText(result))
  }

  #abandon(code: 'too_large' | 'invalid_response'): void {
    const socket = this.#socket
    this.#drop(new RpcError(code, 'a message came that is no answer to this connection'))
    socket?.close(code === 'too_large' ? 1009 : 1002)
  }

  #drop(why: RpcError): void {
    const opened = this.#opened
    this.#socket = undefined
    this.#opened = false
    const pending = [...this.#pending.values()]
    const subscriptions = [...this.#subscriptions.values()]
    this.#pending.clear()
    this.#subscriptions.clear()
    this.#failWaiting(opened ? why : new RpcError('connect', 'no WebSocket connection could be made', { delivery: 'not_sent' }))
    for (const call of pending) call.fail(why)
    for (const subscription of subscriptions) subscription.end(why)
  }

  #failWaiting(why: RpcError): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const waiter of waiting) waiter.fail(why)
  }
}

const nowhere = { event: () => true, gap() {}, end() {} }

function parseToken(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
