import type { RpcMiddleware } from '@wayleave/jsonrpc-core'
import { apiVersion, type ApiVersions } from '@wayleave/network'
import type { GatewayContext } from '../../context/context.ts'

/** Marks each call with the version of the interface that its caller speaks: the one of the path, else the configured one. */
export function tellApiVersion(
  { unnamed }: Pick<ApiVersions, 'unnamed'>,
  configured: string | undefined,
): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) =>
    next(apiVersion.on(request, context.caller.apiVersion ?? configured ?? unnamed(request)), context)
}
