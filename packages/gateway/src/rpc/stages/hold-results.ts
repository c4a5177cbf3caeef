import { isStream, type RpcMiddleware, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { GatewayContext } from '../../context/context.ts'

/** Bytes that a call of a batch costs besides its result. */
const callCost = 1_024
/** Results from this length on, in bytes, are printed and sent in turns with others: many that arrived side by side end together. */
const longResult = 65_536

/**
 * Charges the results that are held until the answer to their request has been sent: those of batches, and of calls over WebSocket. A
 * call whose result may not be held is answered with an error, and the others of its batch are not.
 */
export const holdResults: RpcMiddleware<GatewayContext> = (next) => {
  return (request, context) => {
    const { holding } = context.caller
    if (holding === undefined || (context.batch === undefined && context.session === undefined))
      return next(request, context)
    if (!holding.take(callCost)) return Promise.reject(holding.refusal())
    return next(request, context).then((response) => {
      if (response.error === undefined && response.subscription !== undefined) return response
      const size = sizeOf(response)
      if (size < longResult && holding.takeResult(size)) return response
      // It is copied when it is printed.
      if (size >= longResult && holding.take(size) && holding.takeResult(size)) {
        const turn = holding.turn(size)
        return turn === undefined ? response : turn.then(() => response)
      }
      if (response.error === undefined && isStream(response.result)) response.result.cancel()
      throw holding.refusal()
    })
  }
}

function sizeOf({ result, error }: RpcResponse): number {
  if (error !== undefined) return error.raw?.byteLength ?? 0
  return isStream(result) ? 0 : result.byteLength
}
