import { type CallContext, createContext, tellAll } from './context.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import type { RpcReply, RpcServer } from './server.ts'
import type { RpcSession } from './session.ts'
import { decodeUtf8Chunks, encodeUtf8 } from './utf8.ts'

/** The members that `serveSocket` needs of an accepted socket: one of `ws`, or a W3C WebSocket of Deno, Bun or a worker. */
export interface ServerSocket {
  /** 1 while it is open. */
  readonly readyState: number
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
  /** Ends the connection without a closing handshake. */
  terminate?(): void
  /** Stops reading. */
  pause?(): void
  /** Reads again. */
  resume?(): void
  /** The events as `ws` emits them; preferred where it is there, as it costs less memory. */
  on?(type: 'message', listener: (data: unknown) => void): unknown
  on?(type: 'close' | 'error', listener: () => void): unknown
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close' | 'error', listener: () => void): void
}

/**
 * The options of `serveSocket`. They are read when they are needed, and the hooks are called as methods, so many
 * connections may share one object, and a class of the host may be the options of one.
 */
export interface ServeSocketOptions<C extends CallContext = CallContext> {
  /** Makes the context of one message. It must not accept streams. Default: one with this session, `timeoutMs` and `clock`. */
  readonly createContext?: (session: RpcSession) => C
  /** Time that a message may take, in ms. Default 30,000. */
  readonly timeoutMs?: number
  /** Most messages that are answered at once; further ones wait their turn, and the socket is paused. Default 64. */
  readonly maxInFlight?: number
  /** Most bytes of messages that wait, 256 more for each; past them the connection closes with 1013. Default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Whether `close` answers the messages that wait, too. Meanwhile the socket is paused. Default: they are dropped. */
  readonly answerWaiting?: boolean
  /** Most subscriptions; one more closes the connection with 1013. Default 1,000. */
  readonly maxSubscriptions?: number
  /** Unsent bytes past which the next answer closes the connection with 1013. Default 64 MiB. */
  readonly maxUnsentBytes?: number
  /** Unsent bytes past which the next push closes the connection with 1013. Default 16 MiB. */
  readonly maxUnsentPushBytes?: number
  /** Time that the peer may take to answer a close, in ms. Then the connection is cut. Default 1,000. */
  readonly closeWithinMs?: number
  /** Sends a reply in one piece. A promise holds the message's place until it settles. Default: `socket.send`. */
  readonly sendText?: (text: string) => Promise<void> | void
  /** Sends a reply in chunks, as `sendText` does one in one piece. Default: joined, by `socket.send`. */
  readonly sendChunks?: (chunks: readonly Uint8Array[]) => Promise<void> | void
  /** Called with each reply, before it is sent. */
  readonly onReply?: (reply: RpcReply, context: C) => void
  /** Called when a message came or is about to be sent, a push included: for a host that closes idle connections. */
  readonly onActivity?: (direction: 'in' | 'out') => void
  /** Called when a message failed by a bug of the host or of the socket, before the connection closes with 1011. */
  readonly onInternalError?: (thrown: unknown) => void
  readonly clock?: Clock
}

/** A connection that is being served. */
export interface ServedSocket {
  readonly session: RpcSession
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
  /** Reads no further, answers the messages in flight, then closes with 1001. */
  close(): Promise<void>
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

  close(): Promise<void> {
    this.session.leave()
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
  #waiting: Uint8Array[] | undefined
  #waitingBytes = 0
  #subscriptions: Map<string, () => void> | undefined
  #listeners: Set<() => void> | undefined
  #closed: Promise<void> | undefined

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

  send(message: string): boolean {
    const socket = this.#socket
    const { maxUnsentPushBytes = 16 * 1024 * 1024 } = this.#options
    if (socket.readyState !== open) return false
    if (socket.bufferedAmount > maxUnsentPushBytes) {
      this.close(1013, 'messages are not read fast enough')
      return false
    }
    this.#options.onActivity?.('out')
    socket.send(message)
    return socket.bufferedAmount < slowBytes
  }

  onClose(listener: () => void): () => void {
    if (this.#state === 'gone') listener()
    else (this.#listeners ??= new Set()).add(listener)
    return () => void this.#listeners?.delete(listener)
  }

  /** Closes now. A peer that does not answer the close is cut off. */
  close(code: number, reason: string): void {
    if (this.#state === 'closing' || this.#state === 'gone') return
    this.#state = 'closing'
    this.#discardWaiting()
    const socket = this.#socket
    // `ws` learns of the peer's close only while it reads.
    socket.resume?.()
    socket.close(code, reason)
    const { clock = systemClock, closeWithinMs = 1_000 } = this.#options
    const stop = clock.after(closeWithinMs, () => {
      socket.terminate?.()
      this.#end()
    })
    this.onClose(stop)
  }

  /** Closes once what is in flight has been answered. */
  leave(): void {
    if (this.#state !== 'open') return
    this.#state = 'leaving'
    if (this.#options.answerWaiting) this.#socket.pause?.()
    else this.#discardWaiting()
    if (this.#inFlight === 0) this.close(1001, 'going away')
  }

  #discardWaiting(): void {
    this.#waiting = undefined
    this.#waitingBytes = 0
  }

  #end(): void {
    if (this.#state === 'gone') return
    this.#state = 'gone'
    this.#discardWaiting()
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) tellAll(listeners, undefined)
  }

  #receive(data: unknown): void {
    if (this.#state !== 'open' || this.#socket.readyState !== open) return
    const { maxInFlight = 64, maxWaitingBytes = 8 * 1024 * 1024 } = this.#options
    const body = bytesOf(data)
    if (body === undefined) return this.close(1003, 'a text message was expected')
    this.#options.onActivity?.('in')
    if (this.#inFlight < maxInFlight) return this.#take(body)
    ;(this.#waiting ??= []).push(body)
    this.#waitingBytes += body.byteLength + waitingCost
    if (this.#waitingBytes > maxWaitingBytes) this.close(1013, 'too many calls wait for an answer')
  }

  #take(body: Uint8Array): void {
    const { maxInFlight = 64 } = this.#options
    if (++this.#inFlight >= maxInFlight && this.#state === 'open') this.#socket.pause?.()
    this.#answer(body)
      .catch((thrown: unknown) => this.#fail(thrown))
      .finally(() => this.#takeNext())
  }

  #takeNext(): void {
    this.#inFlight--
    if (this.#socket.readyState !== open) this.#discardWaiting()
    const next = this.#waiting?.shift()
    if (next !== undefined) {
      this.#waitingBytes -= next.byteLength + waitingCost
      this.#take(next)
    } else if (this.#state === 'open') this.#socket.resume?.()
    else if (this.#state === 'leaving' && this.#inFlight === 0) this.close(1001, 'going away')
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
      if ((this.#subscriptions?.size ?? 0) > maxSubscriptions) return this.close(1013, 'too many subscriptions')
      if (socket.bufferedAmount > maxUnsentBytes) return this.close(1013, 'answers are not read fast enough')
      options.onActivity?.('out')
      const sent = this.#sendBody(reply.body)
      reply.written?.()
      await sent
    } finally {
      forget()
      context.release()
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
    this.close(1011, 'internal error')
  }
}

/** The consequence of an `error` comes with the `close` that follows. */
function ignore(): void {}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return encodeUtf8(data)
  if (data instanceof Uint8Array) return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined
}

function wholeBody(body: Exclude<RpcReply['body'], string>): readonly Uint8Array[] {
  if (Array.isArray(body)) return body as readonly Uint8Array[]
  void (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.()
  throw new TypeError('a context that accepts no stream was expected')
}
