import type { ByteAccount } from './byte-account.ts'
import type { Clock } from './clock.ts'
import type { CallContext } from './context.ts'
import type { RpcReply } from './server.ts'
import type { RpcSession } from './session.ts'
import type { RawJson } from './wire.ts'

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
  /** Unsent bytes of answers past which no further message is begun, as far as `sendText` and `sendChunks` tell. Default 256 KiB. */
  readonly maxUnsentBefore?: number
  /** Unsent bytes past which the next push closes the connection with 1013. Default 16 MiB. */
  readonly maxUnsentPushBytes?: number
  /** Time that the peer may take to answer a close, in ms. Then the connection is cut. Default 1,000. */
  readonly closeWithinMs?: number
  /** Sends a reply in one piece. A promise holds the message's place until it settles. Default: `socket.send`. */
  readonly sendText?: (text: string) => Promise<void> | void
  /** Sends a reply in chunks, as `sendText` does one in one piece. Default: joined, by `socket.send`. */
  readonly sendChunks?: (chunks: readonly Uint8Array[]) => Promise<void> | void
  /**
   * Sends one event of a subscription: `prefix`, the text of `result` and `}}`, of which `result` is the same object for all who are told
   * it. It pays for the bytes itself; false: it cannot, nothing was sent, and the connection closes with 1013. Default: as any push.
   */
  readonly sendEvent?: (prefix: string, result: RawJson) => boolean
  /**
   * Pays for messages until they are answered and their answers sent, and for pushes until `sendText` has sent them. Where it cannot,
   * the connection closes with 1013. Default: nobody pays.
   */
  readonly account?: ByteAccount
  /** Called when a message was answered and its answer sent, or given up. */
  readonly onSettled?: (context: C) => void
  /** Called with each reply, before it is sent. */
  readonly onReply?: (reply: RpcReply, context: C) => void
  /** Called when a message came or is about to be sent, a push included: for a host that closes idle connections. */
  readonly onActivity?: (direction: 'in' | 'out') => void
  /** Called when a message failed by a bug of the host or of the socket, before the connection closes with 1011. */
  readonly onInternalError?: (thrown: unknown) => void
  readonly clock?: Clock
}
