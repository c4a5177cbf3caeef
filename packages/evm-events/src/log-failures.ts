import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import type { RpcError, RpcErrorObject } from '@wayleave/jsonrpc-core'
import { rangeHintOf } from './range-hint.ts'

const refusals = new Set<NodeErrorKind>(['range_too_large', 'response_too_large', 'timeout'])
const passing = new Set<NodeErrorKind>([
  'unavailable',
  'internal',
  'unknown_block',
  'state_unavailable',
  'rate_limited',
])
const lasting = new Set<RpcError['code']>(['aborted', 'denied', 'overloaded'])

/** Gives the blocks to ask for where so many were refused; undefined for another failure, and for a single block. */
export function fewerBlocks(why: RpcError, blocks: number): number | undefined {
  if (blocks === 1) return undefined
  if (why.code === 'too_large') return Math.max(1, Math.floor(blocks / 8))
  const half = Math.floor(blocks / 2)
  if (why.code === 'timeout') return half
  return why.code === 'rpc' && why.rpc !== undefined ? fewerByWords(why.rpc, blocks) : undefined
}

/** Tells whether a failure may pass, so that the same question is asked again. */
export function isPassing({ code, rpc }: RpcError): boolean {
  if (code === 'rpc') return rpc !== undefined && passing.has(kindOf(rpc))
  return !lasting.has(code) && code !== 'too_large'
}

/** {@link fewerBlocks} of an error answer. */
export function fewerByWords(error: RpcErrorObject, blocks: number): number | undefined {
  if (blocks === 1 || !refusals.has(kindOf(error))) return undefined
  return rangeHintOf(error, blocks) ?? Math.floor(blocks / 2)
}

function kindOf(error: RpcErrorObject): NodeErrorKind {
  return classifyNodeError(error)
}
