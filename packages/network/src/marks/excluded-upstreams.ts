import { defineExtension, type Extension, type RpcMeta, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { Endpoint, SelectionOptions } from '@wayleave/upstream'

/** Upstreams that gave answers of no use to a question, by name: all others are asked before them. */
export const excludedUpstreams: Extension<readonly string[]> = defineExtension<readonly string[]>('excludedUpstreams')

/** Marks a question with the upstreams that gave answers of no use. */
export function askElsewhere(request: RpcRequest, useless: readonly RpcMeta[]): RpcRequest {
  const names = new Set(useless.flatMap(({ endpoint }) => endpoint ?? []))
  return names.size === 0 ? request : excludedUpstreams.on(request, [...names])
}

/** Prefers upstreams that were not tried, and of those the ones that `prefers` names. Default: all are alike. */
export function untriedFirst(
  prefers: ((endpoint: Endpoint, request: RpcRequest) => boolean) | undefined,
): NonNullable<SelectionOptions['prefers']> {
  return ({ endpoint }, { request }) =>
    excludedUpstreams.of(request)?.includes(endpoint.name) !== true && prefers?.(endpoint, request) !== false
}
