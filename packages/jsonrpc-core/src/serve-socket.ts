import { type CallContext, createContext, tellAll } from './context.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import type { RpcReply, RpcServer } from './server.ts'
import type { RpcSession } from './session.ts'
import { decodeUtf8Chunks, encodeUtf8 } from './utf8.ts'

/** What is needed of a socket that was accepted: one of `ws`, or a W3C WebSocket as Deno, Bun and workers give it. */
export interface ServerSocket {
  /** 1 while it is open. */
  readonly readyState: number
  readonly bufferedAmount: number
  send(text: string): void
  close(code?: number, reason?: string): void
  /** Ends the connection without a word. */
  terminate?(): void
  /** Stops reading, and reads again. */
  pause?(): void
  resume?(): void
  /** How `ws` gives the bytes of a message; preferred where it is there. */
  on?(type: 'message', listener: (data: unknown) => void): unknown
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close' | 'error', listener: () => void): void
}

export interface ServeSocketOptions<C extends CallContext = CallContext> {
  /** The context of one message. It must not accept streams. Default: one with this session, `timeoutMs` and `clock`. */
  readonly createContext?: (session: RpcSession) => C
  /** How long a message may take, in ms. Default 30,000. */
  readonly timeoutMs?: number
  /** Most messages that are answered at once; further ones wait their turn. Default 64. */
  readonly maxInFlight?: number
  /** Most bytes of messages that wait, 256 more for each; past them the connection closes with 1013. Default 8 MiB. */
  readonly maxWaitingBytes?: number
  /** Most subscriptions; one more closes the connection with 1013. Default 1,000. */
  readonly maxSubscriptions?: number
  /** Unsent bytes past which the next answer closes the connection with 1013. Default 64 MiB. */
  readonly maxUnsentBytes?: number
  /** The same for the next push: nobody asked for it just now. Default 16 MiB. */
  readonly maxUnsentPushBytes?: number
  /** How long the peer may take to answer a close, in ms. Default 1,000. */
  readonly closeWithinMs?: number
  /** How a reply in chunks leaves. A promise holds the message's place until it settles. Default: joined, by `send`. */
  readonly sendChunks?: (chunks: readonly Uint8Array[]) => Promise<void> | void
  /** Hears of each reply, before it is sent. */
  readonly onReply?: (reply: RpcReply, context: C) => void
  readonly clock?: Clock
}

/** A connection that is being served. */
export interface ServedSocket {
  readonly session: RpcSession
  /** Settles when the connection is gone. */
  readonly closed: Promise<void>
  /** Reads no further, answers what is in flight, then closes with 1001. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const open = 1
/** What a message that waits costs besides its bytes. */
const waitingCost = 256
/** Unsent bytes past which a subscriber is told to be slow. */
const slowBytes = 1024 * 1024

/** Serves one connection until either side leaves. When the peer leaves, its calls are cancelled and its subscriptions end. */
export function serveSocket<C extends CallContext = CallContext>(
  server: RpcServer<C>,
  socket: ServerSocket,
  options: ServeSocketOptions<C> = {},
): ServedSocket {
  const { maxInFlight = 64, maxWaitingBytes = 8 * 1024 * 1024, closeWithinMs = 1_000 } = options
  const { maxUnsentBytes = 64 * 1024 * 1024, maxUnsentPushBytes = 16 * 1024 * 1024 } = options
  const { clock = systemClock, timeoutMs = 30_000, maxSubscriptions = 1_000, onReply } = options
  const makeContext = options.createContext ?? ((session) => createContext({ clock, timeoutMs, session }) as C)
  const sendChunks = options.sendChunks ?? ((chunks) => socket.send(decodeUtf8Chunks(chunks)))

  const listeners = new Set<() => void>()
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let inFlight = 0
  let gone = false
  let leaving = false
  let shutting = false
  let tellClosed = (): void => {}
  const closed = new Promise<void>((resolve) => {
    tellClosed = resolve
  })

  const session: RpcSession = {
    subscriptions: new Map(),
    send(message) {
      if (socket.readyState !== open) return false
      if (socket.bufferedAmount > maxUnsentPushBytes) {
        shut(1013, 'messages are not read fast enough')
        return false
      }
      socket.send(message)
      return socket.bufferedAmount < slowBytes
    },
    onClose(listener) {
      if (gone) listener()
      else listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: shut,
  }

  /** A peer that does not answer the close is left all the same. */
  function shut(code: number, reason: string): void {
    if (shutting || gone) return
    shutting = leaving = true
    discardWaiting()
    // `ws` hears the answer to the close only while it reads.
    socket.resume?.()
    socket.close(code, reason)
    const stop = clock.after(closeWithinMs, () => {
      socket.terminate?.()
      end()
    })
    session.onClose(stop)
  }

  function discardWaiting(): void {
    waiting.length = 0
    waitingBytes = 0
  }

  function end(): void {
    if (gone) return
    gone = true
    leaving = true
    discardWaiting()
    tellClosed()
    tellAll(listeners, undefined)
    listeners.clear()
  }

  function receive(data: unknown): void {
    if (leaving) return
    const body = bytesOf(data)
    if (body === undefined) return shut(1003, 'a text message was expected')
    waiting.push(body)
    waitingBytes += body.byteLength + waitingCost
    serveWaiting()
    if (waitingBytes > maxWaitingBytes) shut(1013, 'too many calls wait for an answer')
  }

  function serveWaiting(): void {
    while (inFlight < maxInFlight && waiting.length > 0) {
      const body = waiting.shift()!
      waitingBytes -= body.byteLength + waitingCost
      inFlight++
      answer(body)
        // A socket that cannot be sent to, or a hook with a bug.
        .catch(() => shut(1011, 'internal error'))
        .finally(() => {
          inFlight--
          if (leaving && inFlight === 0) drained()
          serveWaiting()
          if (inFlight < maxInFlight && !leaving) socket.resume?.()
        })
    }
    if (inFlight >= maxInFlight && !leaving) socket.pause?.()
  }

  async function answer(body: Uint8Array): Promise<void> {
    const context = makeContext(session)
    const forget = session.onClose(() => context.cancel(new RpcError('aborted', 'the caller closed the connection')))
    try {
      const reply = await server(body, context)
      onReply?.(reply, context)
      if (reply.kind === 'empty' || socket.readyState !== open) return
      if (session.subscriptions.size > maxSubscriptions) return shut(1013, 'too many subscriptions')
      if (socket.bufferedAmount > maxUnsentBytes) return shut(1013, 'answers are not read fast enough')
      const sent = typeof reply.body === 'string' ? socket.send(reply.body) : sendChunks(wholeBody(reply.body))
      reply.written?.()
      await sent
    } finally {
      forget()
      context.release()
    }
  }

  let drained = (): void => {}
  const close = (): Promise<void> => {
    if (!leaving) {
      leaving = true
      discardWaiting()
      drained = () => shut(1001, 'going away')
      if (inFlight === 0) drained()
    }
    return closed
  }

  if (socket.on !== undefined) socket.on('message', receive)
  else socket.addEventListener('message', ({ data }) => receive(data))
  // `close` follows and carries the consequence.
  socket.addEventListener('error', () => {})
  socket.addEventListener('close', end)
  return { session, closed, close, [Symbol.asyncDispose]: close }
}

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
