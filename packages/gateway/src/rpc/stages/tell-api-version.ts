import type { RpcMiddleware } from '@wayleave/jsonrpc-core'
import { apiVersion } from '../../networks/api-version.ts'
import type { GatewayContext } from '../../context/context.ts'

/** Marks each call with the version of the interface that its caller speaks: the one of the path, else `usual`. */
export function tellApiVersion(usual: string): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) => next(apiVersion.on(request, context.caller.apiVersion ?? usual), context)
}
