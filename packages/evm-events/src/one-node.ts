import {
  type Clock,
  isStream,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcRequest,
  type RpcResponse,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce, backOffMs, pause } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import type { Ask } from './chain-source.ts'
import { lastBlockTo } from './last-block-to.ts'
import { hex } from './quantity.ts'

/** Marks a question so that it goes to the node that gave an answer. */
export type SameNode = (request: RpcRequest, answer: RpcResponse) => RpcRequest

/** Marks a question that a node has to answer, and no cache below. */
export type OfNode = (request: RpcRequest) => RpcRequest

/** The ends of a range on the chain of one node. */
export interface RangeEnds {
  /** The last block that is no higher than the range. */
  readonly toHash: string
  /** The last block below the range. */
  readonly parentHash: string
}

/** Logs of a range; `ends` is undefined where its blocks are never replaced. */
export interface RangeLogs {
  readonly logs: RawJson
  readonly ends: RangeEnds | undefined
}

export interface OneNodeOptions {
  readonly ask: Ask
  /** Default: nodes are chosen for each question. */
  readonly sameNode: SameNode | undefined
  /** Default: nothing below answers for a node. */
  readonly ofNode: OfNode | undefined
  readonly clock: Clock
  /** The heights of the range. */
  readonly from: number
  readonly to: number
  /** The height of the head. */
  readonly head: number
}

const mostAttempts = 3

/**
 * Reads logs by `read` from one node that has the last block before and after, on the same chain: one that lacks blocks gives the logs
 * that it has. @throws RpcError `unavailable` where the chain was replaced meanwhile, else as the questions do
 */
export async function logsOfOneNode(
  { ask, sameNode, ofNode, clock, from, to, head }: OneNodeOptions,
  read: (node: Ask) => Promise<RawJson>,
  context: RpcContext,
): Promise<RangeLogs> {
  const node = atOneNode(ask, sameNode, ofNode)
  const end = await blockAt(node, to, head, clock, context)
  const start = from === to ? end : await blockAt(node, from, head, clock, context)
  const logs = await read(node)
  // Asked once: a node that lacks the block now may have lacked it as it told the logs, and have it again a moment later.
  const after = streamBlockOf(await askOnce(node, 'eth_getBlockByNumber', [hex(end.number), false], context))
  if (after?.hash !== end.hash) throw new RpcError('unavailable', `a reorg replaced block ${to}, or its node lost it`)
  // No block may have been made at the first height.
  return { logs, ends: { toHash: end.hash, parentHash: start.number < from ? start.hash : start.parentHash } }
}

/** Sends all that follows a first result to the node that gave it. */
function atOneNode(ask: Ask, sameNode: SameNode | undefined, ofNode: OfNode | undefined): Ask {
  let first: RpcResponse | undefined
  return async (request, context) => {
    const question = ofNode?.(request) ?? request
    if (first !== undefined) return ask(sameNode?.(question, first) ?? question, context)
    const response = await ask(question, context)
    if (response.error === undefined && !isStream(response.result) && response.result.text() !== 'null')
      first = response
    return response
  }
}

/** Gives the last block at or below a height, asked for until a node has it. @throws RpcError `unavailable` where none does */
export async function blockAt(
  ask: Ask,
  number: number,
  head: number,
  clock: Clock,
  context: RpcContext,
): Promise<StreamBlock> {
  for (let attempt = 1; ; attempt++) {
    let why: RpcError
    try {
      const block = await lastBlockTo(ask, number, () => head, context)
      if (block !== undefined) return block
      why = new RpcError('unavailable', `expected block ${number}, got another or none`)
    } catch (thrown) {
      why = toRpcError(thrown, 'unavailable', 'eth_getBlockByNumber: the handler failed')
    }
    if (context.cancelled !== undefined) throw context.cancelled
    if (attempt >= mostAttempts) throw new RpcError('unavailable', why.message, { cause: why })
    await pause(backOffMs(attempt + 1), clock, context)
  }
}
