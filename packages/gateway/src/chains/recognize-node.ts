import { systemClock } from '@wayleave/jsonrpc-core'
import { chainKinds, readChainId, type ReportingKind } from '@wayleave/network'
import { type AskedNode, type NodeAnswer, openAskedNode } from './asked-node.ts'

/** The kind of a node, and its chain as a configuration names it. */
export interface RecognizedNode {
  readonly kind: ReportingKind
  readonly chainId: number | string
}

/** Why a node cannot be served. */
export interface NodeFault {
  /** A clause without its URL: `nothing listens there (ECONNREFUSED)`. */
  readonly fault: string
  /** Whether nothing could be reached, so that the node may not be running. */
  readonly isUnreachable: boolean
}

/** Longest wait for a node's answer, in ms. */
const answerMs = 3_000

/**
 * Asks the node at an http(s) or ws(s) URL whether it is one of Starknet, a rollup that answers `rollup_getInfo`, or another EVM node; and
 * for its chain. Never rejects; it takes six seconds at most.
 */
export async function recognizeNode(url: string): Promise<RecognizedNode | NodeFault> {
  await using node = openAskedNode(url, { clock: systemClock, timeoutMs: answerMs })
  const [evm, starknet, rollup] = await Promise.all([
    node.ask(chainKinds.evm.chainIdMethod),
    node.ask(chainKinds.starknet.chainIdMethod),
    node.ask('rollup_getInfo'),
  ])
  const felt = 'value' in starknet ? readChainId('starknet', starknet.value) : undefined
  if (felt !== undefined) return { kind: 'starknet', chainId: felt }
  const chainId = 'value' in evm ? readChainId('evm', evm.value) : undefined
  if (chainId !== undefined) return { kind: isObject(rollup) ? 'rollup' : 'evm', chainId }
  return await faultOf(evm, node)
}

async function faultOf(evm: NodeAnswer, node: AskedNode): Promise<NodeFault> {
  if ('value' in evm) return { fault: 'its answer to eth_chainId is no chain id', isUnreachable: false }
  const isUnreachable = ['connect', 'timeout', 'disconnected'].includes(evm.code)
  if (evm.code === 'rpc' && 'value' in (await node.ask('optimism_version'))) {
    return { fault: 'it is a rollup node: give the URL of the execution node beside it', isUnreachable }
  }
  return { fault: evm.fault, isUnreachable }
}

function isObject(answer: NodeAnswer): boolean {
  return 'value' in answer && typeof answer.value === 'object' && answer.value !== null
}
