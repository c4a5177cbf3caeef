import type { RpcMiddleware } from '@wayleave/jsonrpc-core'
import { type ApiVersions, withHints } from '@wayleave/network'
import type { GatewayContext } from '../../context/context.ts'

/** Marks each call with the version of the interface that its caller speaks: the one of the path, else the configured one. */
export function markApiVersion(
  { unnamed }: Pick<ApiVersions, 'unnamed'>,
  configured: string | undefined,
): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) =>
    next(withHints(request, { apiVersion: context.caller.apiVersion ?? configured ?? unnamed(request) }), context)
}
