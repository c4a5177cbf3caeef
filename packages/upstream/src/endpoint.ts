import type { RpcHandler } from '@wayleave/jsonrpc-core'

/** One place that can answer calls of a network. */
export interface Endpoint {
  /** For logs and metrics: never a URL. */
  readonly name: string
  readonly handler: RpcHandler
  /** Whether it can push: a WebSocket. */
  readonly carriesSubscriptions: boolean
}
