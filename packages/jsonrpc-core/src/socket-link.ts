import { createBackoff } from './backoff.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import { connectSocket, type SocketLike } from './socket-port.ts'
import type { WebSocketTransportOptions } from './websocket-options.ts'

/** Time that a peer may take to answer a close, in ms. */
const closeWithinMs = 1_000
/** Close codes in place of 1002 and 1009, which browsers do not allow a page. */
const closeCodes: Partial<Record<RpcError['code'], number>> = { invalid_response: 4002, too_large: 4009 }

/** A connection to one peer: one WebSocket after another. */
export interface SocketLink {
  /** The socket while it is open. */
  readonly socket: SocketLike | undefined
  /** Connects, unless a socket is open or opening. Returns the error if no attempt is made now. */
  connect(): RpcError | undefined
  /** Leaves a connection that can no longer be trusted. */
  drop(why: RpcError): void
  /** Closes for good. Fulfilled when no socket and no timer is left. */
  close(): Promise<unknown>
}

/** The callbacks of a link's owner. */
export interface SocketLinkOwner {
  opened(): void
  heard(data: unknown): void
  /** Called when a connection ended or could not be made. */
  dropped(why: RpcError): void
}

/**
 * Makes a link that connects when first asked. Once it has connected, it reconnects by itself after each drop, for ever. While
 * the backoff runs, `connect` returns an error with `retryAfterMs`.
 */
export function createSocketLink(
  options: WebSocketTransportOptions,
  maxMessageBytes: number,
  owner: SocketLinkOwner,
): SocketLink {
  const { url, headers = {}, connect = connectSocket, clock = systemClock, connectTimeoutMs = 10_000 } = options
  const { words = () => '' } = options
  const backoff = createBackoff({ clock, ...options.reconnect })
  let current: SocketLike | undefined
  let open: SocketLike | undefined
  let hasOpened = false
  let closed: RpcError | undefined
  let lastFailure = ''
  let retryAt = 0
  /** Stops the timer of the attempt under way, or of the wait for the next. */
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
    let httpStatus: number | undefined
    let reason = ''
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
    // A `close` follows every `error`, but does not tell which rule a message broke.
    socket.addEventListener('error', ({ error }) => {
      const { code = '', message = '' } = (error ?? {}) as { readonly code?: string; readonly message?: string }
      if (open !== socket) {
        // Only the message of `ws` tells the status.
        const [, status] = /^Unexpected server response: (\d{3})$/.exec(message) ?? []
        if (status !== undefined) [httpStatus, reason] = [Number(status), `: HTTP status ${status} came`]
        else if (/^E[A-Z_]{2,40}$/.test(code)) reason = ` (${code})`
        return
      }
      const rule = /^WS_ERR_(UNSUPPORTED|TOO_MANY)?/.exec(code)
      if (rule === null) return
      drop(
        rule[1] === undefined
          ? new RpcError('invalid_response', 'a frame broke the WebSocket protocol')
          : new RpcError('too_large', tooLongMessage(maxMessageBytes)),
      )
    })
    socket.addEventListener('close', ({ code, reason: reported = '' }) => {
      if (current !== socket) return
      const said = reported && words(reported)
      lose(
        open === undefined
          ? new RpcError('connect', `no WebSocket connection could be made${reason}`, { httpStatus })
          : new RpcError('disconnected', `the connection closed (${code}${said && `: ${said}`})`),
      )
    })
    return undefined
  }

  /** Plans the next attempt. Returns the error of calls until then. */
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
    // First, so that calls made in reaction to the drop use the next connection.
    if (closed === undefined) plan(why.message)
    owner.dropped(why)
  }

  function drop(why: RpcError): void {
    const socket = current
    lose(why)
    if (socket === undefined) return
    const left = new Promise<void>((resolve) => {
      const stop = clock.after(closeWithinMs, () => {
        // `ws` would wait 30 s. A browser cannot terminate.
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
