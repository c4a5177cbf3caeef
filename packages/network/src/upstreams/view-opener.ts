import type { FiltersOptions } from '@wayleave/evm-events'
import type { RpcContext, RpcMiddleware, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { ChainView, ChainViewOptions, Endpoint } from '@wayleave/upstream'
import { opensSubscription } from '../kinds/method-facts.ts'
import type { ProjectUpstreams } from './project-upstreams.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** Opens the views of chains in place of `createChainView`, where several processes share one. */
export interface ViewOpener {
  open(network: string, options: ChainViewOptions): ChainView
  /** Asks an upstream a question of the gateway's own that others ask, too. Absent where upstreams are asked from here. */
  ask?(view: ChainView, endpoint: Endpoint, request: RpcRequest, context: RpcContext): Promise<RpcResponse>
  /** Asks the upstreams of a network, of these groups alone, for a block of a stream, or for fees. Absent likewise. */
  askNetwork?(
    network: string,
    groups: readonly string[] | undefined,
    request: RpcRequest,
    context: RpcContext,
  ): Promise<RpcResponse>
  /** Makes the function that tells a network's pending transactions to its filters. Absent likewise. */
  pending?(network: string): PendingSource
}

/** Tells the pending transactions after a place. */
export type PendingSource = NonNullable<FiltersOptions['pending']>

/** Has the questions of streams, and those for fees, asked by `views`, but not calls that open a subscription; undefined where upstreams are asked from here. */
export function shareOwnQuestions(
  network: string,
  views: ViewOpener | undefined,
  { reads }: Pick<ProjectUpstreams, 'reads'>,
  facts: MethodFacts,
): RpcMiddleware<RpcContext> | undefined {
  const ask = views?.askNetwork?.bind(views)
  if (ask === undefined) return undefined
  return (next) => (request, context) => {
    if (opensSubscription(facts, request.method)) return next(request, context)
    const isOwn = hintsOf(request).isOfStream || (context.tenant === undefined && request.method === 'eth_feeHistory')
    return isOwn ? ask(network, reads(context.tenant), request, context) : next(request, context)
  }
}
