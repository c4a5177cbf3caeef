import { RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import type { Busy } from './busy.ts'
import type { GatewayContext } from '../context/context.ts'

/** Reports the calls of batches that no upstream answered; the listeners report single ones, with their replies. */
export function watchBatches(
  handler: RpcHandler<GatewayContext>,
  rejected: (traceId: string, why: RpcError) => void,
  busy: Pick<Busy, 'enter'>,
): RpcHandler<GatewayContext> {
  return (request, context) => {
    const answer = handler(request, context)
    if (context.batch === undefined) return answer
    const leave = busy.enter()
    // A promise between would cost a turn of each call.
    answer.then(leave, (thrown: unknown) => {
      leave()
      if (thrown instanceof RpcError) rejected(context.caller.traceId, thrown)
    })
    return answer
  }
}
