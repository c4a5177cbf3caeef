import type { Clock } from '../clock.ts'
import { createContext } from '../context.ts'
import { systemClock } from '../defaults.ts'
import { RpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'
import type { HttpPort, HttpReply } from '../http-port.ts'
import { serveSocket } from '../serve-socket.ts'
import type { ServerSocket, ServeSocketOptions } from '../serve-socket-options.ts'
import { createRpcServer, type RpcReply, type RpcServerOptions } from '../server.ts'
import type { SocketLike, SocketPort } from '../socket-port.ts'
import { encodeUtf8 } from '../utf8.ts'

export interface MemoryPairOptions {
  readonly server?: RpcServerOptions
  readonly socket?: ServeSocketOptions
  /** Time that a call may take on the far side, in ms. Default 30,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** A far side in this process, reached as if over a network. */
export interface MemoryPair {
  /** For `createHttpTransport` and its kin; the URL may be anything. */
  readonly http: HttpPort
  /** For `createWebSocketTransport`. */
  readonly connect: SocketPort
  /** Breaks every open connection and exchange, without a closing handshake. Later ones are served again. */
  drop(): void
  /** Drops everything, and refuses connections from now on. */
  close(): void
  [Symbol.dispose](): void
}

const statuses = { calls: 200, empty: 200, parse_error: 400, too_large: 413 } as const
const callerLeft = new RpcError('aborted', 'the caller closed the connection')

/**
 * Wires a client to a handler without a socket: frames are printed and read on both sides as over a network. Over HTTP, a call
 * that the handler rejects is answered with 502.
 */
export function createMemoryPair(handler: RpcHandler, options: MemoryPairOptions = {}): MemoryPair {
  const { clock = systemClock, timeoutMs = 30_000 } = options
  const server = createRpcServer(handler, options.server)
  /** The functions that break each open connection and exchange. */
  const open = new Set<() => void>()
  let closed = false

  const http: HttpPort = async ({ body }, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    if (closed) throw new RpcError('connect', 'the far side is closed', { delivery: 'not_sent' })
    const far = createContext({ clock, timeoutMs, acceptStream: true })
    let over = false
    let fail = (_why: RpcError): void => {}
    const broken = new Promise<never>((_resolve, reject) => {
      fail = reject
    })
    // A waiter still gets the rejection.
    broken.catch(() => {})
    const cut = (): void => breakOff(new RpcError('disconnected', 'the connection broke'))
    const forget = context.onCancel((why) => breakOff(why))
    open.add(cut)

    function finish(): void {
      over = true
      open.delete(cut)
      forget()
      far.release()
    }

    function breakOff(why: RpcError): void {
      if (over) return
      finish()
      far.cancel(callerLeft)
      fail(why)
    }

    const reply = await Promise.race([server(encodeUtf8(body), far), broken])
    const status = reply.rejected === undefined ? statuses[reply.kind] : 502
    const whole = chunksOf(reply)
    if (whole !== undefined) {
      finish()
      return { status, headers: noHeaders, body: whole }
    }
    const source = (reply.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    const iterator: AsyncIterator<Uint8Array> = {
      async next() {
        try {
          const next = await Promise.race([source.next(), broken])
          if (next.done === true) finish()
          return next
        } catch {
          // The far side's own errors stay there.
          cut()
          return broken
        }
      },
      async return() {
        breakOff(callerLeft)
        return { done: true, value: undefined }
      },
    }
    return { status, headers: noHeaders, body: { [Symbol.asyncIterator]: () => iterator } }
  }

  const connect: SocketPort = () => {
    const sockets = createSocketPair()
    const { near, far } = sockets
    const cut = (): void => near.terminate()
    open.add(cut)
    near.addEventListener('close', () => open.delete(cut))
    queueMicrotask(() => {
      if (closed) return cut()
      serveSocket(server, far, { clock, timeoutMs, ...options.socket })
      sockets.open()
    })
    return near
  }

  function drop(): void {
    for (const cut of open) cut()
  }

  function close(): void {
    closed = true
    drop()
  }

  return { http, connect, drop, close, [Symbol.dispose]: close }
}

const noHeaders: HttpReply['headers'] = { get: () => null }

/** Returns the body if all of it is here. */
function chunksOf({ body }: RpcReply): readonly Uint8Array[] | undefined {
  if (typeof body === 'string') return body === '' ? [] : [encodeUtf8(body)]
  return Array.isArray(body) ? (body as readonly Uint8Array[]) : undefined
}

interface SocketEvent {
  readonly data: unknown
  readonly code: number
  readonly error?: unknown
}
type Listener = (event: SocketEvent) => void

/** One end of a connection inside this process. Messages arrive in order, in a later turn. */
interface MemorySocket extends SocketLike, ServerSocket {
  addEventListener(type: 'open' | 'error' | 'message' | 'close', listener: (event: SocketEvent) => void): void
  /** Ends the connection without a closing handshake. */
  terminate(): void
}

/** Makes two ends that are not connected yet; `open` connects them. */
function createSocketPair(): { readonly near: MemorySocket; readonly far: MemorySocket; open(): void } {
  const near = new End()
  const far = new End()
  near.other = far
  far.other = near
  return {
    near,
    far,
    open() {
      if (near.readyState !== connecting) return
      near.readyState = far.readyState = open
      far.dispatch('open')
      near.dispatch('open')
    },
  }
}

const connecting = 0
const open = 1
const closing = 2
const closed = 3

class End implements MemorySocket {
  readyState = connecting
  readonly bufferedAmount = 0
  other!: End
  readonly #listeners: { readonly type: string; readonly listener: Listener }[] = []

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push({ type, listener })
  }

  send(data: string): void {
    if (this.readyState === open) queueMicrotask(() => this.other.receive(data))
  }

  close(code = 1000): void {
    if (this.readyState === connecting) return this.terminate()
    if (this.readyState !== open) return
    this.readyState = closing
    // The other end answers the close, and both are closed.
    queueMicrotask(() => {
      this.other.end(code)
      this.end(code)
    })
  }

  terminate(): void {
    queueMicrotask(() => {
      this.end(1006)
      this.other.end(1006)
    })
  }

  receive(data: string): void {
    if (this.readyState !== closed) this.dispatch('message', data)
  }

  end(code: number): void {
    if (this.readyState === closed) return
    this.readyState = closed
    this.dispatch('close', undefined, code)
  }

  dispatch(wanted: string, data?: string, code = 0): void {
    for (const { type, listener } of this.#listeners) if (type === wanted) listener({ data, code })
  }
}
