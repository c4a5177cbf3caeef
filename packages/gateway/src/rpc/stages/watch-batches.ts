import { RpcError, type RpcMiddleware } from '@wayleave/jsonrpc-core'
import type { Busy } from '../busy.ts'
import type { GatewayContext } from '../../context/context.ts'

/** Reports the calls of batches that no upstream answered; the listeners report single ones, with their replies. */
export function watchBatches(
  rejected: (traceId: string, why: RpcError) => void,
  busy: Pick<Busy, 'enter'>,
): RpcMiddleware<GatewayContext> {
  return (next) => (request, context) => {
    const answer = next(request, context)
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
