import { type CloseReason, closeSocket } from './close-reason.ts'
import { type CallContext, createContext, notifyAll } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { eventPrefix, printEvent } from './frame.ts'
import type { RpcReply, RpcServer } from './server.ts'
import type { ServerSocket, ServeSocketOptions } from './serve-socket-options.ts'
import type { RpcSession, RpcSubscription } from './session.ts'
import { bytesOf, costOf, lengthOf, wholeBody } from './socket-bytes.ts'
import { untilDrained } from './until-drained.ts'
import { decodeUtf8Chunks } from './utf8.ts'
import type { RawJson } from './wire.ts'

/** A connection that is being served. */
export interface ServedSocket {
  readonly session: RpcSession
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
  /** Reads no further, answers the messages in flight, then closes. Default: `going_away`. */
  close(reason?: CloseReason, text?: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Serves one connection until either side leaves. When the peer leaves, its calls are cancelled and its subscriptions end. */
export function serveSocket<C extends CallContext = CallContext>(
  server: RpcServer<C>,
  socket: ServerSocket,
  options: ServeSocketOptions<C> = {},
): ServedSocket {
  return new Served(new Connection(server, socket, options))
}

class Served<C extends CallContext> implements ServedSocket {
  readonly session: Connection<C>

  constructor(session: Connection<C>) {
    this.session = session
  }

  get closed(): Promise<void> {
    return this.session.closed
  }

  close(reason: CloseReason = 'going_away', text?: string): Promise<void> {
    this.session.leave(reason, text)
    return this.session.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const open = 1
/** Bytes that a message costs besides its own while it waits. */
const waitingCost = 256
/** Unsent bytes past which a subscriber is told to be slow. */
const slowBytes = 1024 * 1024

/** One connection and its session; a host, which may close the socket itself, keeps thousands of idle ones. Collections are made late. */
class Connection<C extends CallContext> implements RpcSession {
  readonly #server: RpcServer<C>
  readonly #socket: ServerSocket
  readonly #options: ServeSocketOptions<C>
  /** `leaving`: answers what is in flight. `closing`: waits for the peer's close. */
  #state: 'open' | 'leaving' | 'closing' | 'gone' = 'open'
  #inFlight = 0
  /** Bytes of answers that `sendText` and `sendChunks` have not sent yet. */
  #unsent = 0
  #waiting: Uint8Array[] | undefined
  #waitingBytes = 0
  #subscriptions: Map<string, () => void> | undefined
  /** An array: what has left a `Set` that is as old as its connection would stay until everything is collected. */
  #listeners: (() => void)[] | undefined
  #closed: Promise<void> | undefined
  #leaveAs: [reason: CloseReason, text: string | undefined] | undefined

  constructor(server: RpcServer<C>, socket: ServerSocket, options: ServeSocketOptions<C>) {
    this.#server = server
    this.#socket = socket
    this.#options = options
    if (socket.on !== undefined) {
      socket.on('message', (data) => this.#receive(data))
      socket.on('error', ignore)
      socket.on('close', () => this.#end())
    } else {
      socket.addEventListener('message', ({ data }) => this.#receive(data))
      socket.addEventListener('error', ignore)
      socket.addEventListener('close', () => this.#end())
    }
  }

  get subscriptions(): Map<string, () => void> {
    return (this.#subscriptions ??= new Map())
  }

  get closed(): Promise<void> {
    return (this.#closed ??= new Promise((resolve) => void this.onClose(resolve)))
  }

  sendEvent(method: string, subscription: Pick<RpcSubscription, 'id' | 'idName'>, result: RawJson): boolean {
    const socket = this.#socket
    const options = this.#options
    const { maxUnsentPushBytes = 16 * 1024 * 1024 } = options
    if (socket.readyState !== open) return false
    if (socket.bufferedAmount > maxUnsentPushBytes) {
      this.close('slow')
      return false
    }
    options.onActivity?.('out')
    const isTaken =
      options.sendEvent === undefined
        ? this.#push(printEvent(method, subscription, result))
        : options.sendEvent(eventPrefix(method, subscription), result)
    if (!isTaken) this.close('overloaded', options.account?.refusal().message)
    return isTaken && socket.bufferedAmount < slowBytes
  }

  drained(): Promise<void> {
    return untilDrained(this.#socket, slowBytes, this.#options.clock)
  }

  #push(message: string): boolean {
    const options = this.#options
    const { account } = options
    const bytes = message.length
    if (account?.take(bytes) === false) return false
    const sent = account === undefined ? undefined : options.sendText?.(message)
    if (sent instanceof Promise) {
      const give = (): void => account!.give(bytes)
      sent.then(give, give)
      return true
    }
    if (account === undefined || options.sendText === undefined) this.#socket.send(message)
    account?.give(bytes)
    return true
  }

  onClose(listener: () => void): () => void {
    if (this.#state === 'gone') listener()
    else (this.#listeners ??= []).push(listener)
    return () => {
      // Calls come and go behind the subscriptions, which stay.
      const place = this.#listeners?.lastIndexOf(listener) ?? -1
      if (place >= 0) this.#listeners!.splice(place, 1)
    }
  }

  /** Closes now. A peer that does not answer the close is cut off. */
  close(reason: CloseReason, text?: string): void {
    if (this.#state === 'closing' || this.#state === 'gone') return
    this.#state = 'closing'
    this.#discardWaiting()
    const socket = this.#socket
    // `ws` learns of the peer's close only while it reads.
    socket.resume?.()
    closeSocket(socket, reason, text)
    const { clock = systemClock, closeWithinMs = 1_000 } = this.#options
    const stop = clock.after(closeWithinMs, () => {
      socket.terminate?.()
      this.#end()
    })
    this.onClose(stop)
  }

  /** Closes once what is in flight has been answered. */
  leave(reason: CloseReason, text: string | undefined): void {
    if (this.#state !== 'open') return
    this.#state = 'leaving'
    this.#leaveAs = [reason, text]
    if (this.#options.answerWaiting) this.#socket.pause?.()
    else this.#discardWaiting()
    if (this.#inFlight === 0) this.close(reason, text)
  }

  #discardWaiting(): void {
    const { account } = this.#options
    if (account !== undefined) for (const body of this.#waiting ?? []) account.give(costOf(body))
    this.#waiting = undefined
    this.#waitingBytes = 0
  }

  #end(): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#discardWaiting()
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) notifyAll(listeners, undefined)
  }

  #receive(data: unknown): void {
    if (this.#state !== 'open' || this.#socket.readyState !== open) return
    const { account, maxWaitingBytes = 8 * 1024 * 1024 } = this.#options
    const body = bytesOf(data)
    if (body === undefined) return this.close('no_text')
    this.#options.onActivity?.('in')
    if (account?.take(costOf(body)) === false) return this.close('overloaded', account.refusal().message)
    if (this.#isReady()) return this.#take(body)
    this.#socket.pause?.()
    ;(this.#waiting ??= []).push(body)
    this.#waitingBytes += body.byteLength + waitingCost
    if (this.#waitingBytes > maxWaitingBytes) this.close('too_many_calls')
  }

  /** Whether a further message may be begun. */
  #isReady(): boolean {
    const { maxInFlight = 64, maxUnsentBefore = 262_144 } = this.#options
    return this.#inFlight < maxInFlight && this.#unsent <= maxUnsentBefore
  }

  #take(body: Uint8Array): void {
    const cost = costOf(body)
    this.#inFlight++
    if (this.#state === 'open' && !this.#isReady()) this.#socket.pause?.()
    this.#answer(body)
      .catch((thrown: unknown) => this.#fail(thrown))
      .finally(() => {
        this.#inFlight--
        this.#options.account?.give(cost)
        this.#takeNext()
      })
  }

  #takeNext(): void {
    if (this.#socket.readyState !== open) this.#discardWaiting()
    while (this.#isReady()) {
      const next = this.#waiting?.shift()
      if (next !== undefined) {
        this.#waitingBytes -= next.byteLength + waitingCost
        this.#take(next)
        continue
      }
      if (this.#state === 'open') this.#socket.resume?.()
      else if (this.#state === 'leaving' && this.#inFlight === 0) this.close(...this.#leaveAs!)
      return
    }
  }

  async #answer(body: Uint8Array): Promise<void> {
    const socket = this.#socket
    const options = this.#options
    const { maxSubscriptions = 1_000, maxUnsentBytes = 64 * 1024 * 1024 } = options
    const context = this.#createContext()
    const forget = this.onClose(() => context.cancel(new RpcError('aborted', 'the caller closed the connection')))
    try {
      const reply = await this.#server(body, context)
      options.onReply?.(reply, context)
      if (reply.kind === 'empty' || socket.readyState !== open) return
      if ((this.#subscriptions?.size ?? 0) > maxSubscriptions) return this.close('too_many_subscriptions')
      if (socket.bufferedAmount > maxUnsentBytes) return this.close('slow', 'answers are not read fast enough')
      options.onActivity?.('out')
      const sent = this.#sendBody(reply.body)
      reply.written?.()
      if (sent !== undefined) await this.#untilSent(sent, lengthOf(reply.body))
    } finally {
      forget()
      context.release()
      options.onSettled?.(context)
    }
  }

  async #untilSent(sent: Promise<void>, bytes: number): Promise<void> {
    this.#unsent += bytes
    try {
      await sent
    } finally {
      this.#unsent -= bytes
    }
  }

  #createContext(): C {
    const options = this.#options
    if (options.createContext !== undefined) return options.createContext(this)
    const { clock = systemClock, timeoutMs = 30_000 } = options
    return createContext({ clock, timeoutMs, session: this }) as C
  }

  #sendBody(body: RpcReply['body']): Promise<void> | void {
    const options = this.#options
    if (typeof body !== 'string') {
      const chunks = wholeBody(body)
      return options.sendChunks ? options.sendChunks(chunks) : this.#socket.send(decodeUtf8Chunks(chunks))
    }
    return options.sendText ? options.sendText(body) : this.#socket.send(body)
  }

  /** A message failed by a socket that cannot be sent to, or by a hook with a bug. */
  #fail(thrown: unknown): void {
    try {
      this.#options.onInternalError?.(thrown)
    } catch {
      // A hook that reports bugs must not add one.
    }
    this.close('failed')
  }
}

/** The consequence of an `error` comes with the `close` that follows. */
function ignore(): void {}
