import type { RpcMeta, RpcRequest } from '@wayleave/jsonrpc-core'
import type { Endpoint, SelectionOptions } from '@wayleave/upstream'
import { hintsOf, withHints } from './call-hints.ts'

/** Marks a question with the upstreams that gave answers of no use. */
export function askElsewhere(request: RpcRequest, useless: readonly RpcMeta[]): RpcRequest {
  const names = new Set(useless.flatMap(({ endpoint }) => endpoint ?? []))
  return names.size === 0 ? request : withHints(request, { excludedUpstreams: [...names] })
}

/** Prefers upstreams that were not tried, and of those the ones that `prefers` names. Default: all are alike. */
export function untriedFirst(
  prefers: ((endpoint: Endpoint, request: RpcRequest) => boolean) | undefined,
): NonNullable<SelectionOptions['prefers']> {
  return ({ endpoint }, { request }) =>
    hintsOf(request).excludedUpstreams?.includes(endpoint.name) !== true && prefers?.(endpoint, request) !== false
}
