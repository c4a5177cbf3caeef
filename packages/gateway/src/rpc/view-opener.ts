import type { RpcContext, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { ChainView, ChainViewOptions, Endpoint } from '@wayleave/upstream'

/** Opens the views of chains in place of `createChainView`, where several processes share one. */
export interface ViewOpener {
  open(network: string, options: ChainViewOptions): ChainView
  /** Asks an upstream a question of the gateway's own that others ask, too. Absent where upstreams are asked from here. */
  ask?(view: ChainView, endpoint: Endpoint, request: RpcRequest, context: RpcContext): Promise<RpcResponse>
}

/** Makes the endpoints for questions about upstreams, which are asked by `views` where it does. */
export function examinedEndpoints(
  endpoints: readonly Endpoint[],
  views: ViewOpener | undefined,
  view: () => ChainView,
): readonly Endpoint[] {
  const ask = views?.ask?.bind(views)
  if (ask === undefined) return endpoints
  return endpoints.map((each) => ({ ...each, handler: (request, context) => ask(view(), each, request, context) }))
}
