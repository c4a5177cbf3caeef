import type { Hex } from '@wayleave/evm-types'
import type { RpcRequest } from '@wayleave/jsonrpc-core'

/** Calls that see the pending transactions of one sender, or send one, as far as the gateway reads them. */
export interface SenderKind {
  readonly methods: readonly string[]
  /** The sender that a call names, in lower case, or the signed transaction that it sends; undefined: neither, or the call is at another block. Never throws. */
  read(request: RpcRequest): { readonly sender: string } | { readonly raw: Hex } | undefined
}

type Args = readonly unknown[]

const first = ([address]: Args): unknown => address
const from = ([call]: Args): unknown => (Object(call) as { readonly from?: unknown }).from
const ofOperation = ([operation]: Args): unknown => (Object(operation) as { readonly sender?: unknown }).sender
const isPending = (args: Args): boolean => args[1] === 'pending'
/** Nodes do not agree on the block of an estimate that names none: some take the pending one. */
const mayBePending = (args: Args): boolean => isPending(args) || (args[1] ?? undefined) === undefined
const always = (): boolean => true

/** The place of the sender in the params of a method, and the calls that depend on what the sender has sent. */
const places: Readonly<Record<string, readonly [sender: (args: Args) => unknown, depends: (args: Args) => boolean]>> = {
  eth_getTransactionCount: [first, isPending],
  eth_getBalance: [first, isPending],
  eth_call: [from, isPending],
  eth_estimateGas: [from, mayBePending],
  eth_createAccessList: [from, mayBePending],
  eth_fillTransaction: [from, always],
  eth_sendTransaction: [from, always],
  eth_sendUserOperation: [ofOperation, always],
  eth_estimateUserOperationGas: [ofOperation, always],
}

const rawMethods = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawTransactionSync',
  'eth_sendRawTransactionConditional',
])
/** Longest params of a signed transaction that is read: nodes take none of more than 128 KiB without blobs. */
const longestRaw = 2 * 128 * 1024 + 64
const isAddress = /^0x[\da-f]{40}$/i
const isHex = /^0x(?:[\da-f]{2})+$/i

export const evmSenders: SenderKind = {
  methods: [...Object.keys(places), ...rawMethods],
  read(request) {
    const { method, params } = request
    if (params === undefined) return undefined
    if (rawMethods.has(method)) {
      const [raw] = params.byteLength > longestRaw ? [] : argsOf(params)
      return typeof raw === 'string' && isHex.test(raw) ? { raw: raw as Hex } : undefined
    }
    const [senderIn, depends] = places[method]!
    // Params may be long, and most calls are at another block.
    if (depends === isPending && !params.text().includes('"pending"')) return undefined
    const args = argsOf(params)
    const sender = depends(args) ? senderIn(args) : undefined
    return typeof sender === 'string' && isAddress.test(sender) ? { sender: sender.toLowerCase() } : undefined
  },
}

/** Params that are no JSON are the node's to refuse. */
function argsOf(params: NonNullable<RpcRequest['params']>): Args {
  try {
    const args = params.value()
    return Array.isArray(args) ? args : []
  } catch {
    return []
  }
}
