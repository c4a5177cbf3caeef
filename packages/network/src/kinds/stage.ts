import type { RpcContext, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'

/** A stage on the way of calls. */
export interface Stage<C extends RpcContext = RpcContext> {
  readonly name: string
  /** The methods whose calls pass it. Default: those of all methods do. */
  readonly methods?: Iterable<string> | undefined
  readonly apply: RpcMiddleware<C>
}

/** A stage that is not there where `apply` is undefined. */
export type PossibleStage<C extends RpcContext = RpcContext> = Omit<Stage<C>, 'apply'> & {
  readonly apply: RpcMiddleware<C> | undefined
}

/** Returns the names of the stages that are there, in their order. */
export function stageNames(stages: readonly PossibleStage<never>[]): readonly string[] {
  return stages.filter(({ apply }) => apply !== undefined).map(({ name }) => name)
}

/**
 * Composes the stages that are there over a handler, the first one outermost. A call passes the stages of its method, and no code of others. Where several stages
 * of single methods follow each other, one look-up by the method finds the first of them that a call passes.
 */
export function composeStages<C extends RpcContext>(
  stages: readonly PossibleStage<C>[],
  last: RpcHandler,
): RpcHandler<C> {
  // The way below the stage that is composed next, and its two parts: the outermost stage that names a method, and the next stage of all.
  let below: RpcHandler<C> = last
  let byMethod: ReadonlyMap<string, RpcHandler<C>> = new Map()
  let rest = below
  for (const { methods, apply } of stages.toReversed()) {
    if (apply === undefined) continue
    // A context below a stage is the one above it, or a fork of that.
    const handler = apply(below as RpcHandler)
    if (methods === undefined) {
      below = rest = handler
      byMethod = new Map()
    } else {
      byMethod = new Map([...byMethod, ...Array.from(methods, (method) => [method, handler] as const)])
      below = lookUp(byMethod, rest)
    }
  }
  return below
}

function lookUp<C extends RpcContext>(
  byMethod: ReadonlyMap<string, RpcHandler<C>>,
  rest: RpcHandler<C>,
): RpcHandler<C> {
  return (request, context) => (byMethod.get(request.method) ?? rest)(request, context)
}
