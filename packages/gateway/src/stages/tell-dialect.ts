import type { RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { GatewayContext } from '../context.ts'
import { apiVersion } from '../networks/api-version.ts'

/** Tells those below which version of the interface the caller speaks: the one of his path, else the usual one. */
export function tellDialect(usual: string): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) => next(apiVersion.on(request, context.caller.dialect ?? usual), context)
}
