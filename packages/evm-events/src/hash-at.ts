import { type Clock, type RpcContext, RpcError, toRpcError } from '@wayleave/jsonrpc-core'
import { askOnce, backOffMs, pause } from './ask-once.ts'
import { streamBlockOf } from './block.ts'
import type { Ask } from './chain-source.ts'

const mostAttempts = 3

/** Gives the hash of the block at a height, asked for until a node has it. @throws RpcError `unavailable` where none does */
export async function hashAt(ask: Ask, number: number, clock: Clock, context: RpcContext): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    let why: RpcError
    try {
      const block = streamBlockOf(
        await askOnce(ask, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false], context),
      )
      if (block?.number === number) return block.hash
      why = new RpcError('unavailable', `expected block ${number}, got another or none`)
    } catch (thrown) {
      why = toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')
    }
    if (context.cancelled !== undefined) throw context.cancelled
    if (attempt >= mostAttempts) throw new RpcError('unavailable', why.message, { cause: why })
    await pause(backOffMs(attempt + 1), clock, context)
  }
}
