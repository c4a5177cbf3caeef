import type { RpcBatchInfo, RpcHandler, RpcMiddleware, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { Turns } from '@wayleave/upstream'
import type { GatewayContext } from '../../context/context.ts'

export interface LimitBatchesOptions {
  /** Most calls of a batch in flight; the others wait. Read as each one begins. */
  readonly maxBatchInFlight: number
  readonly turns: Turns
}

/** The calls of one batch. */
interface Batch {
  inFlight: number
  readonly waiting: (() => void)[]
}

/**
 * Lets some calls of a batch go at once, so that the other requests of its project find upstreams with room for them, and a few in each
 * turn of the event loop, so that small calls of others come in between.
 */
export function limitBatches(options: LimitBatchesOptions): RpcMiddleware<GatewayContext> {
  const { turns } = options
  const batches = new WeakMap<RpcBatchInfo, Batch>()

  async function ask(
    next: RpcHandler<GatewayContext>,
    request: RpcRequest,
    context: GatewayContext,
    batch: Batch,
  ): Promise<RpcResponse> {
    if (batch.inFlight < options.maxBatchInFlight) batch.inFlight++
    // The place of one that ends is the next one's.
    else await new Promise<void>((resolve) => void batch.waiting.push(resolve))
    try {
      const turn = turns.take(context.lane, 1)
      if (turn !== undefined) await turn
      // The calls of a batch are cancelled together, and each that ends wakes the next.
      if (context.cancelled !== undefined) throw context.cancelled
      return await next(request, context)
    } finally {
      const go = batch.waiting.shift()
      if (go === undefined) batch.inFlight--
      else go()
    }
  }

  return (next) => (request, context) => {
    const { batch: info } = context
    if (info === undefined) return next(request, context)
    let batch = batches.get(info)
    if (batch === undefined) batches.set(info, (batch = { inFlight: 0, waiting: [] }))
    return ask(next, request, context, batch)
  }
}
