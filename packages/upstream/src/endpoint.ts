import type { RpcHandler } from '@wayleave/jsonrpc-core'

/** One way to reach an upstream that can answer calls of a network. */
export interface Endpoint {
  /** The name for logs and metrics: never a URL. */
  readonly name: string
  readonly handler: RpcHandler
  /** Whether it can push: a WebSocket. */
  readonly carriesSubscriptions: boolean
}
