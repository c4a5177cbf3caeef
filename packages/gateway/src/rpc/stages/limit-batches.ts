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
  /** Calls that have not begun. */
  left: number
  /** Calls of them that may begin in `turn`, which is undefined where that is now. */
  paid: number
  turn: Promise<void> | undefined
  readonly waiting: (() => void)[]
}

/** Calls of a batch that begin in one turn: half of what a project may begin before the next one has its turn. */
const atOnce = 8

/**
 * Lets some calls of a batch go at once, so that the other requests of its project find upstreams with room for them, and a few in each
 * turn of the event loop, so that small calls of others come in between.
 */
export function limitBatches(options: LimitBatchesOptions): RpcMiddleware<GatewayContext> {
  const { turns } = options
  const batches = new WeakMap<RpcBatchInfo, Batch>()

  function leave(batch: Batch): void {
    const go = batch.waiting.shift()
    // The place of one that ends is the next one's.
    if (go === undefined) batch.inFlight--
    else go()
  }

  /** Takes a turn for the next calls of a batch together: a promise for each would cost more than what it waits for. */
  function turnOf(batch: Batch, { tenant }: GatewayContext): Promise<void> | undefined {
    if (batch.paid === 0) {
      batch.paid = Math.max(1, Math.min(batch.left, atOnce))
      batch.turn = turns.take(tenant, batch.paid)
    }
    batch.paid--
    batch.left--
    return batch.turn
  }

  /** Asks for a call that has a place. A promise between would cost a turn of each call. */
  function ask(
    next: RpcHandler<GatewayContext>,
    request: RpcRequest,
    context: GatewayContext,
    batch: Batch,
  ): Promise<RpcResponse> {
    const turn = turnOf(batch, context)
    const go = (): Promise<RpcResponse> => goOn(next, request, context)
    const answer = turn === undefined ? go() : turn.then(go)
    const left = (): void => leave(batch)
    answer.then(left, left)
    return answer
  }

  /** The calls of a batch are cancelled together, and each that ends wakes the next. */
  function goOn(next: RpcHandler<GatewayContext>, request: RpcRequest, context: GatewayContext): Promise<RpcResponse> {
    if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
    try {
      return next(request, context)
    } catch (thrown) {
      return Promise.reject(thrown)
    }
  }

  return (next) => (request, context) => {
    const { batch: info } = context
    if (info === undefined) return next(request, context)
    let batch = batches.get(info)
    if (batch === undefined)
      batches.set(info, (batch = { inFlight: 0, left: info.size, paid: 0, turn: undefined, waiting: [] }))
    if (batch.inFlight < options.maxBatchInFlight) {
      batch.inFlight++
      return ask(next, request, context, batch)
    }
    const { waiting } = batch
    return new Promise((resolve) => void waiting.push(() => resolve(ask(next, request, context, batch))))
  }
}
