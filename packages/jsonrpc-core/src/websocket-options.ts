import type { BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { ConnectionWatch } from './connection-watch.ts'
import type { SubscriptionFacts } from './schema/method-spec.ts'
import type { SocketPort } from './socket-port.ts'
import type { PeerWords } from './wire.ts'

/** The options of a WebSocket transport. */
export interface WebSocketTransportOptions {
  /** The peer's URL. It may hold a key in its path, and appears in no error. */
  readonly url: string
  /** Request headers of the upgrade (not in browsers). */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the platform's WebSocket. */
  readonly connect?: SocketPort
  /** The methods that open subscriptions. Default none. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionFacts>>
  /** Longest message, in bytes (UTF-16 units in browsers). Default 10 MiB. */
  readonly maxMessageBytes?: number
  /** Most calls waiting for an answer. Default 10,000. */
  readonly maxPending?: number
  /** Most events that wait for a subscription to be opened, and for the ids of those that are being opened. Default 1,000. */
  readonly maxHeldEvents?: number
  /** Time that the connection may take to open, in ms. Default 10,000. */
  readonly connectTimeoutMs?: number
  /** The waits between attempts to reconnect. */
  readonly reconnect?: Omit<BackoffOptions, 'clock'>
  /** Watches each connection while it is open, as `heartbeat` does. Default: none. */
  readonly watch?: ConnectionWatch
  /** Prepares the reason that a peer gives for closing, for a message. Default: no message holds it. */
  readonly words?: PeerWords
  readonly clock?: Clock
}
