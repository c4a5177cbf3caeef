/** What callers of a network have open. */
export interface StreamRecord {
  readonly network: string
  /** WebSocket connections. */
  readonly sockets: number
  /** Streams of server-sent events. */
  readonly eventStreams: number
  /** Subscriptions by kind, such as `newHeads`; `other` stands for kinds that nobody knows. */
  readonly kinds: readonly { readonly kind: string; readonly subscribers: number }[]
  /** Filters by project; a long one counts as several. */
  readonly filters: readonly { readonly project: string; readonly count: number }[]
  /** Subscriptions of nodes that are passed on to callers. */
  readonly relays: number
}

/** The streams that a gateway serves. */
export interface StreamPort {
  list(): Promise<readonly StreamRecord[]>
}
