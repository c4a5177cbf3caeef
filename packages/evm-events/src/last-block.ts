import { isStream, type RpcContext, type RpcResponse } from '@wayleave/jsonrpc-core'
import { untilCancelled } from './ask-once.ts'
import { hex } from './quantity.ts'

/**
 * Asks the node that gave an answer for its head, by a question that begins after the answer came; resolves with undefined where it told
 * none, must not reject. Returns undefined where the answer proves itself.
 */
export type HeadAfter = (answer: RpcResponse) => Promise<number | undefined> | undefined

/**
 * Tells whether the node that gave logs has the last block of their range: one that lacks it gives the logs that it has, as geth does. A
 * log of that block says so, else the node is asked. Rejects when the context is cancelled.
 */
export async function hasLastBlock(
  answer: RpcResponse,
  last: number,
  headAfter: HeadAfter,
  context: RpcContext,
): Promise<boolean> {
  const { result } = answer
  if (result !== undefined && !isStream(result) && result.text().includes(`"blockNumber":"${hex(last)}"`)) return true
  const asked = headAfter(answer)
  if (asked === undefined) return true
  const head = await untilCancelled(asked, context)
  return head !== undefined && head >= last
}
