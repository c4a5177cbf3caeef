import { classifyNodeError, type NodeErrorKind } from '@wayleave/evm-types'
import { RpcError, type RpcErrorObject } from '@wayleave/jsonrpc-core'
import { rangeHintOf } from './range-hint.ts'

const refusals = new Set<NodeErrorKind>(['range_too_large', 'response_too_large', 'limit_exceeded', 'timeout'])
/** A node, or what stands before it, broke down, perhaps over the range. */
const doubtful = new Set<NodeErrorKind>(['unavailable', 'internal'])
const passing = new Set<NodeErrorKind>([...doubtful, 'unknown_block', 'state_unavailable', 'rate_limited'])
const lasting = new Set<RpcError['code']>(['aborted', 'denied', 'overloaded'])

/** The blocks to ask for in place of those that failed. */
export interface FewerBlocks {
  readonly blocks: number
  /**
   * - `reported`: a node's limit for any range.
   * - `guess`: others of the same call are likely to fail, too.
   * - `part`: nothing is known of others. A pause of the nodes makes any range fail, and a limit of one block may be one node's error.
   * - `doubt`: the failure may have had nothing to do with the range.
   */
  readonly of: 'reported' | 'guess' | 'part' | 'doubt'
}

/** Gives the blocks to ask for where nothing tells how many too many they were. */
export const muchFewer = (blocks: number): number => Math.max(1, Math.floor(blocks / 8))

/** Gives the blocks to ask for where so many failed; undefined for another failure, and for a single block. */
export function fewerBlocks(why: RpcError, blocks: number): FewerBlocks | undefined {
  const { code, rpc } = why
  if (blocks === 1) return undefined
  const few = muchFewer(blocks)
  if (code === 'too_large') return { blocks: few, of: 'guess' }
  const half = Math.floor(blocks / 2)
  if (code === 'timeout') return { blocks: half, of: 'part' }
  if (isDoubtful(why)) return { blocks: few, of: 'doubt' }
  if (code !== 'rpc' || rpc === undefined || !refusals.has(classifyNodeError(rpc))) return undefined
  const hint = rangeHintOf(rpc, blocks)
  if (hint === 1) return { blocks: 1, of: 'part' }
  const isReported = hint !== undefined && classifyNodeError(rpc) === 'range_too_large'
  return { blocks: hint ?? half, of: isReported ? 'reported' : 'guess' }
}

/** Tells whether a failure may pass, so that the same question is asked again. */
export function isPassing({ code, rpc }: RpcError): boolean {
  if (code === 'rpc') return rpc !== undefined && passing.has(classifyNodeError(rpc))
  return !lasting.has(code) && code !== 'too_large'
}

/** Tells whether nodes broke down, perhaps over the range, without a word of it: silence, a broken connection, a proxy's status, an internal error. */
export function isDoubtful({ code, rpc, httpStatus = 0, cause }: RpcError): boolean {
  if (code === 'rpc') return rpc !== undefined && doubtful.has(classifyNodeError(rpc))
  if (code === 'timeout' || code === 'disconnected') return true
  // 503 is an outage whatever the range.
  if (code === 'http_status') return httpStatus >= 500 && httpStatus !== 503
  // A pool's, of what the last upstream did.
  return code === 'unavailable' && cause instanceof RpcError && isDoubtful(cause)
}

/** Makes the failure that an error answer is. */
export const failureOf = (rpc: RpcErrorObject): RpcError => new RpcError('rpc', String(rpc.message), { rpc })
