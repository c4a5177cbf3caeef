import type { RpcHandler } from '@wayleave/jsonrpc-core'

/** The handler that opens subscriptions, and reopens them. */
export interface Pushes {
  readonly handler: RpcHandler
  /** Ends all subscriptions at once. */
  close(): void
}

/** Creates the handler of subscriptions over `socket`; `ask` is asked for the events that a drop took. */
export type Resubscribe = (socket: RpcHandler, ask: RpcHandler) => Pushes
