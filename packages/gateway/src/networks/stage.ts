import type { RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'

/** A stage on the way of calls. */
export interface Stage<C extends RpcContext = RpcContext> {
  readonly name: string
  /** The methods whose calls pass it. Default: those of all methods do. */
  readonly methods?: Iterable<string> | undefined
  readonly apply: RpcMiddleware<C>
}

/**
 * Composes stages over a handler, the first one outermost. A call passes the stages of its method, and no code of others: which these are is
 * looked up, once for all stages of single methods that follow each other.
 */
export function composeStages<C extends RpcContext>(stages: readonly Stage<C>[], last: RpcHandler): RpcHandler<C> {
  let entry: RpcHandler<C> = last
  // The handlers below that calls enter by: those of some methods at a stage of their own, all others at the next stage of all.
  let own: ReadonlyMap<string, RpcHandler<C>> = new Map()
  let others = entry
  for (const { methods, apply } of stages.toReversed()) {
    // A context below a stage is the one above it, or a fork of that.
    const handler = apply(entry as RpcHandler)
    if (methods === undefined) {
      entry = others = handler
      own = new Map()
    } else {
      own = new Map([...own, ...Array.from(methods, (method) => [method, handler] as const)])
      entry = lookUp(own, others)
    }
  }
  return entry
}

function lookUp<C extends RpcContext>(own: ReadonlyMap<string, RpcHandler<C>>, others: RpcHandler<C>): RpcHandler<C> {
  return (request, context) => (own.get(request.method) ?? others)(request, context)
}
