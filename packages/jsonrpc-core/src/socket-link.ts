import { createBackoff } from './backoff.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { connectSocket, type SocketLike } from './socket-port.ts'
import type { WebSocketTransportOptions } from './websocket-options.ts'

/** How long a peer may take to answer a close, in ms. */
const closeWithinMs = 1_000
/** Close codes that a browser lets a page use, unlike 1002 and 1009. */
const closeCodes: Partial<Record<RpcError['code'], number>> = { invalid_response: 4002, too_large: 4009 }

/** One WebSocket after another to one peer. */
export interface SocketLink {
  /** The socket while it is open. */
  readonly socket: SocketLike | undefined
  /** Connects where nothing is open or under way. Returns why that is not tried now. */
  connect(): RpcError | undefined
  /** Leaves the connection, which cannot be believed any more. */
  drop(why: RpcError): void
  /** For good. Fulfilled when no socket and no timer is left. */
  close(): Promise<unknown>
}

/** Who uses a link. */
export interface SocketLinkOwner {
  opened(): void
  heard(data: unknown): void
  /** A connection is over, or was not made. */
  dropped(why: RpcError): void
}

/**
 * Connects when first asked, and after the first connection by itself after each drop, for ever. While the backoff
 * runs, `connect` gives an error with `retryAfterMs`.
 */
export function createSocketLink(
  options: WebSocketTransportOptions,
  maxMessageBytes: number,
  owner: SocketLinkOwner,
): SocketLink {
  const { url, headers = {}, connect = connectSocket, clock = systemClock, connectTimeoutMs = 10_000 } = options
  const backoff = createBackoff({ clock, ...options.reconnect })
  let current: SocketLike | undefined
  let open: SocketLike | undefined
  let hasOpened = false
  let closed: RpcError | undefined
  let lastFailure = ''
  let retryAt = 0
  /** Of the attempt under way, or of the wait for the next. */
  let stopTimer = (): void => {}
  /** Sockets that wait for their peer to answer the close. */
  const leaving = new Set<Promise<void>>()

  function attempt(): RpcError | undefined {
    stopTimer()
    let socket: SocketLike
    try {
      socket = connect(url, { headers, maxMessageBytes })
    } catch {
      // The platform's message may hold the URL.
      return plan('a ws or wss URL and headers that fit HTTP were expected')
    }
    current = socket
    stopTimer = clock.after(connectTimeoutMs, () => {
      drop(new RpcError('connect', `the WebSocket connection did not open within ${connectTimeoutMs} ms`))
    })
    socket.addEventListener('open', () => {
      if (current !== socket) return
      stopTimer()
      open = socket
      hasOpened = true
      backoff.succeeded()
      owner.opened()
    })
    socket.addEventListener('message', ({ data }) => {
      if (current === socket) owner.heard(data)
    })
    // `close` follows every `error` and carries the consequence, but not which rule a message broke.
    socket.addEventListener('error', ({ error }) => {
      const rule = /^WS_ERR_(UNSUPPORTED|TOO_MANY)?/.exec((error as { code?: string } | undefined)?.code ?? '')
      if (rule === null || open !== socket) return
      drop(
        rule[1] === undefined
          ? new RpcError('invalid_response', 'a frame broke the WebSocket protocol')
          : new RpcError('too_large', tooLongMessage(maxMessageBytes)),
      )
    })
    socket.addEventListener('close', ({ code }) => {
      if (current !== socket) return
      lose(
        open === undefined
          ? new RpcError('connect', 'no WebSocket connection could be made')
          : new RpcError('disconnected', `the connection closed (${code})`),
      )
    })
    return undefined
  }

  /** Plans the next attempt. Returns what calls are told until then. */
  function plan(failure: string): RpcError {
    const delay = backoff.failed()
    lastFailure = failure
    retryAt = clock.now() + delay
    if (hasOpened && delay > 0) stopTimer = clock.after(delay, attempt)
    else if (hasOpened) attempt()
    return notNow(delay)
  }

  function notNow(retryAfterMs: number): RpcError {
    return new RpcError('connect', lastFailure, { delivery: 'not_sent', retryAfterMs: Math.ceil(retryAfterMs) })
  }

  function lose(why: RpcError): void {
    stopTimer()
    current = open = undefined
    // First, so that whoever hears of the drop and calls at once is served by the next connection.
    if (closed === undefined) plan(why.message)
    owner.dropped(why)
  }

  function drop(why: RpcError): void {
    const socket = current
    lose(why)
    if (socket === undefined) return
    const left = new Promise<void>((resolve) => {
      const stop = clock.after(closeWithinMs, () => {
        // `ws` would wait 30 s; a browser gives no choice.
        socket.terminate?.()
        resolve()
      })
      socket.addEventListener('close', () => {
        stop()
        resolve()
      })
    }).then(() => void leaving.delete(left))
    leaving.add(left)
    socket.close(closeCodes[why.code] ?? 1000)
  }

  return {
    get socket() {
      return open
    },
    connect() {
      if (closed !== undefined) return closed
      if (current !== undefined) return undefined
      const wait = retryAt - clock.now()
      return wait > 0 ? notNow(wait) : attempt()
    },
    drop,
    close() {
      if (closed === undefined) {
        closed = new RpcError('aborted', 'the transport was closed', { delivery: 'not_sent' })
        drop(new RpcError('aborted', 'the transport was closed'))
      }
      return Promise.all(leaving)
    },
  }
}

export function tooLongMessage(cap: number): string {
  return `a message is longer than ${cap} bytes`
}
