import type { BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { ConnectionWatch } from './connection-watch.ts'
import type { SubscriptionFacts } from './schema/method-spec.ts'
import type { SocketPort } from './socket-port.ts'

/** What a WebSocket transport is made from. */
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
  /** How long the connection may take to open, in ms. Default 10,000. */
  readonly connectTimeoutMs?: number
  /** How attempts to connect again are spaced. */
  readonly reconnect?: Omit<BackoffOptions, 'clock'>
  /** Watches each connection while it is open, such as `heartbeat`. Default: nobody does. */
  readonly watch?: ConnectionWatch
  readonly clock?: Clock
}
