import { type RawJson, rawJsonFromText, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { valueOf } from './chain-of.ts'

/** Chains some of whose nodes tell parts of a block before it is sealed: the flashblocks of OP-stack chains. */
export interface FlashblocksKind {
  /** The methods of calls that may see such parts. */
  readonly methods: readonly string[]
  /** Whether a call of these may. Never throws. */
  sees(request: RpcRequest): boolean
  /** Whether the block that an answer names may be one that is not sealed. */
  mayReport(request: RpcRequest): boolean
  /** Whether nodes of a chain may have them, by a header of it. */
  isPossible(header: RawJson): boolean
  /** Asks a node whether it has them. */
  readonly question: RpcRequest
  /** Reads the answer to that. */
  has(response: RpcResponse): boolean
}

/** Methods that find a transaction wherever it is. */
const lookups = new Set(['eth_getRawTransactionByHash', 'eth_getTransactionByHash', 'eth_getTransactionReceipt'])
/** Methods that send one: its sender asks for it next. */
const sends = ['eth_sendRawTransaction', 'eth_sendRawTransactionSync', 'eth_sendTransaction']
/** Subscriptions that only nodes with flashblocks know. Source: Base, "Flashblocks", RPC API. */
const kinds = /"(?:newFlashblocks|newFlashblockTransactions|pendingLogs)"/

/** The EIP-1559 parameters of a block, in its extra data: version 0, of 9 bytes, or 1, of 17. Source: OP stack specification, Holocene and Jovian. */
const opStackHeader = /"extraData"\s*:\s*"0x(?:00[\da-f]{16}|01[\da-f]{32})"/i

/** Whether a header is one of the OP stack, some of whose nodes have flashblocks. */
export function isOpStackHeader(header: RawJson): boolean {
  return opStackHeader.test(header.text())
}

export function evmFlashblocks(facts: MethodFacts): FlashblocksKind {
  const atBlock = Object.keys(facts).filter(
    (method) =>
      facts[method]!.effect === 'read' && (facts[method]!.blockParam !== undefined || method === 'eth_getLogs'),
  )
  const always = new Set([...lookups, ...sends])
  return {
    methods: [...always, ...atBlock, 'eth_subscribe'],
    sees({ method, params }) {
      if (always.has(method)) return true
      const text = params?.text() ?? ''
      return method === 'eth_subscribe' ? kinds.test(text) : text.includes('"pending"')
    },
    mayReport: ({ method }) => lookups.has(method) || method === 'eth_getLogs',
    isPossible: isOpStackHeader,
    question: { method: 'op_supportedCapabilities', params: rawJsonFromText('[]'), notification: false },
    has(response) {
      const capabilities = valueOf(response)
      return Array.isArray(capabilities) && capabilities.includes('flashblocksv1')
    },
  }
}
