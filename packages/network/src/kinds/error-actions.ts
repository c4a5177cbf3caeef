import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import type { RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { hasRange, isRead } from './method-facts.ts'

/**
 * The consequence of a node's error:
 *
 * - `final`: it is the answer; every node would give it, or the call may have had its effect.
 * - `next`: the node failed; another may answer.
 * - `hold_off`: too many requests; the node is left alone for a while, see {@link retryAfterOf}.
 * - `quota`: the key's requests are used up, or it is refused; the node is left alone for longer.
 * - `remember`: the node does not have the method.
 * - `lagging`: the node does not have the block, or not yet.
 * - `pruned`: the node no longer has the block's state or history.
 * - `range`: too many blocks or results, too large an answer for this node.
 */
export type ErrorAction = 'final' | 'next' | 'hold_off' | 'quota' | 'remember' | 'lagging' | 'pruned' | 'range'

/** The action for each kind of error, where nothing is known of the call. */
export const actionsByKind: Readonly<Record<NodeErrorKind, ErrorAction>> = {
  already_known: 'final',
  nonce_too_low: 'final',
  nonce_too_high: 'final',
  replacement_underpriced: 'final',
  underpriced: 'final',
  insufficient_funds: 'final',
  intrinsic_gas_too_low: 'final',
  gas_limit_exceeded: 'final',
  out_of_gas: 'final',
  reverted: 'final',
  execution_failed: 'final',
  invalid_transaction: 'final',
  invalid_params: 'final',
  unknown: 'final',
  sender_limited: 'final',
  pool_full: 'next',
  timeout: 'next',
  unavailable: 'next',
  internal: 'next',
  limit_exceeded: 'hold_off',
  rate_limited: 'hold_off',
  quota_exceeded: 'quota',
  unauthorized: 'quota',
  method_not_found: 'remember',
  unknown_block: 'lagging',
  state_unavailable: 'pruned',
  range_too_large: 'range',
  response_too_large: 'range',
  batch_too_large: 'range',
}

/** Kinds after which a write may have been done all the same: only one that does no harm twice may go on. */
const doubtful = new Set<NodeErrorKind>(['timeout', 'unavailable', 'internal'])

/** Reads the action of an error by its words. `mayRepeat`: whether the call does no harm twice; `hasRange`: whether it asks for as many blocks or results as its caller likes. */
export function actionByWords(
  error: RpcErrorObject,
  call: { readonly mayRepeat: boolean; readonly hasRange: boolean },
): ErrorAction {
  const kind = classifyNodeError(error)
  if (!call.mayRepeat && doubtful.has(kind)) return 'final'
  return kind === 'limit_exceeded' && call.hasRange ? 'range' : actionsByKind[kind]
}

/** Makes the function that tells the action of an error of an EVM node. */
export function evmActions(
  facts: MethodFacts,
  isIdempotent: (request: RpcRequest) => boolean,
): (request: RpcRequest, error: RpcErrorObject) => ErrorAction {
  return (request, error) => {
    const { method } = request
    const read = isRead(facts, method)
    // Another node may have the kind, and this one may have others: nothing is remembered.
    if (method === 'eth_subscribe' && isKindRefusal(error)) return 'range'
    return actionByWords(error, { mayRepeat: read || isIdempotent(request), hasRange: read && hasRange(facts, method) })
  }
}

/** Whether a node refuses a kind of subscription, in the words of geth or as wrong params. */
function isKindRefusal({ code, message }: RpcErrorObject): boolean {
  return code === -32602 || (code === -32601 && message.includes(' subscription in '))
}

/** The longest time for which a node can ask to be left alone, in ms. */
const longestWaitMs = 3_600_000

/**
 * Reads from an error for how long its node wants to be left alone, in ms, at most an hour: Infura tells it in the data, others in the
 * message. Undefined where it does not say.
 */
export function retryAfterOf({ message, data }: RpcErrorObject): number | undefined {
  const { rate } = Object(data) as { readonly rate?: unknown }
  const { backoff_seconds: reported } = Object(rate) as { readonly backoff_seconds?: unknown }
  const seconds = typeof reported === 'number' ? reported : Number(/\bretry in (\d+) ?s/i.exec(message)?.[1])
  return seconds > 0 ? Math.min(seconds * 1_000, longestWaitMs) : undefined
}
