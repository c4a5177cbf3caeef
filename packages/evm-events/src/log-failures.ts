import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import { RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
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

/** The blocks to ask for in place of those that failed. */
export interface FewerBlocks {
  readonly blocks: number
  /**
   * - `told`: a node's limit for any range.
   * - `guess`: others of the same call are likely to fail, too.
   * - `part`: nothing is known of others. A pause of the nodes makes any range fail, and a limit of one block may be one node's error.
   */
  readonly of: 'told' | 'guess' | 'part'
}

/** Gives the blocks to ask for where so many failed; undefined for another failure, and for a single block. */
export function fewerBlocks({ code, rpc }: RpcError, blocks: number): FewerBlocks | undefined {
  if (blocks === 1) return undefined
  if (code === 'too_large') return { blocks: Math.max(1, Math.floor(blocks / 8)), of: 'guess' }
  const half = Math.floor(blocks / 2)
  if (code === 'timeout') return { blocks: half, of: 'part' }
  if (code !== 'rpc' || rpc === undefined || !refusals.has(kindOf(rpc))) return undefined
  const hint = rangeHintOf(rpc, blocks)
  if (hint === 1) return { blocks: 1, of: 'part' }
  const isTold = hint !== undefined && kindOf(rpc) === 'range_too_large'
  return { blocks: hint ?? half, of: isTold ? 'told' : 'guess' }
}

/** Tells whether a failure may pass, so that the same question is asked again. */
export function isPassing({ code, rpc }: RpcError): boolean {
  if (code === 'rpc') return rpc !== undefined && passing.has(kindOf(rpc))
  return !lasting.has(code) && code !== 'too_large'
}

/** The count of {@link fewerBlocks} for an error answer. */
export function fewerByWords(rpc: RpcErrorObject, blocks: number): number | undefined {
  return fewerBlocks(new RpcError('rpc', rpc.message, { rpc }), blocks)?.blocks
}

function kindOf(error: RpcErrorObject): NodeErrorKind {
  return classifyNodeError(error)
}
