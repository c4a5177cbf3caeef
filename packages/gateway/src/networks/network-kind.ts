import type { Clock, RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/** What the rules of a network may ask besides its upstreams. */
export interface NetworkSources {
  /** The rollup node beside an execution node, where one is configured. */
  readonly rollupNode: RpcHandler | undefined
  /** As configured; undefined: as the rollup node says. */
  readonly rollupMode: 'sequencer' | 'verifier' | undefined
  readonly clock: Clock
}

/** The glue between a family's method table and the gateway's policies. */
export interface NetworkKind {
  readonly facts: MethodFacts
  /** Subscriptions as this kind has them. */
  events(): RpcMiddleware<RpcContext>
  /** The specification's rules for calls of this kind; everything else passes as it came. */
  normalise(sources: NetworkSources): RpcMiddleware<RpcContext>
}
