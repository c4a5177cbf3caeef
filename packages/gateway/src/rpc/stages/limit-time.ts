import { type Clock, type RpcHandler, type RpcMiddleware, timeout } from '@wayleave/jsonrpc-core'
import type { GatewayContext } from '../../context/context.ts'

/** Gives calls of methods with a shorter wait than others no more than that; the context of a request has the longest. */
export function limitTime(clock: Clock): RpcMiddleware<GatewayContext> {
  return (next) => {
    // The configuration names only a few times.
    const within = new Map<number, RpcHandler<GatewayContext>>()
    return (request, context) => {
      const ms = context.caller.timeouts?.of(request.method)
      if (ms === undefined) return next(request, context)
      let handler = within.get(ms)
      if (handler === undefined) within.set(ms, (handler = timeout(ms, { clock })(next as RpcHandler)))
      return handler(request, context)
    }
  }
}
