import { type RpcContext, type RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { Ask } from './chain-source.ts'
import { hex } from './quantity.ts'

/** Heights without a block that are looked at, one after the other. */
export const mostEmpty = 16

/** Lotus' error for a height without a block. Source: lotus `api/api_errors.go`, ENullRound. */
const nullRound = 12

/** Whether a node says that no block was made at the height that it was asked for. */
export function isNullRound({ rpc }: RpcError): boolean {
  return rpc?.code === nullRound && /null round/i.test(rpc.message)
}

/** Nodes of chains that are known to make no block at some heights. */
const withHoles = new WeakSet<Ask>()

/**
 * Gives the last block at or below a height: no block may have been made there, as a higher one says by its parent, or the node itself. Asks
 * no higher than `head` says, and for no more than the next height and the head where no block is there yet: undefined.
 * @throws RpcError as the question for the height does
 */
export async function lastBlockTo(
  ask: Ask,
  height: number,
  head: () => number | Promise<number>,
  context: RpcContext,
): Promise<StreamBlock | undefined> {
  let failure: RpcError | undefined
  let lowest = height
  for (; lowest >= 0 && lowest > height - mostEmpty; lowest--) {
    try {
      const block = await blockOf(ask, 'eth_getBlockByNumber', hex(lowest), context)
      if (block?.number === lowest) return block
      break
    } catch (thrown) {
      failure = toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')
      if (context.cancelled !== undefined) throw failure
      if (!isNullRound(failure)) break
      withHoles.add(ask)
    }
  }
  const top = await head()
  const highest = Math.min(top, height + mostEmpty)
  for (let above = height + 1; above <= highest; above++) {
    if (above === height + 2 && above < top && !withHoles.has(ask) && !(await isThere(ask, top, context))) break
    try {
      let block = await blockOf(ask, 'eth_getBlockByNumber', hex(above), context)
      while (block !== undefined && block.number > lowest) {
        const { number, parentHash } = block
        const parent = await blockOf(ask, 'eth_getBlockByHash', parentHash, context)
        block = parent?.hash === parentHash && parent.number < number ? parent : undefined
        if (block !== undefined && block.number < number - 1) withHoles.add(ask)
      }
      if (block !== undefined) return block
    } catch {
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }
  if (failure !== undefined) throw failure
  return undefined
}

/** Whether a node has the block of a height. One that lacks it, too, is behind; else no block was made at those below. */
async function isThere(ask: Ask, height: number, context: RpcContext): Promise<boolean> {
  try {
    return (await blockOf(ask, 'eth_getBlockByNumber', hex(height), context)) !== undefined
  } catch {
    if (context.cancelled !== undefined) throw context.cancelled
    return false
  }
}

async function blockOf(ask: Ask, method: string, place: string, context: RpcContext): Promise<StreamBlock | undefined> {
  return streamBlockOf(await askOnce(ask, method, [place, false], context))
}
