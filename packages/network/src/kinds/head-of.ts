import { isStream, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'

/** The longest answer in which a head is looked for, in bytes. */
const mostBytes = 65_536

/** Gives the text of an answer in which a head may be told; undefined for errors, streams and long answers. */
export function textIn({ error, result }: RpcResponse): string | undefined {
  if (error !== undefined || isStream(result) || result.byteLength > mostBytes) return undefined
  return result.text()
}

type ReadHead = (text: string, request: RpcRequest) => number | undefined

const block: ReadHead = (text, { params }) =>
  // A block that is being built stands above the head.
  params?.text().includes('"pending"') === true ? undefined : quantityAfter(text, text.indexOf('"number"'), 8)
const included: ReadHead = (text) => quantityAfter(text, text.indexOf('"blockNumber"'), 13)

const heads = new Map<string, ReadHead>([
  ['eth_blockNumber', (text) => quantityIn(/^"(0x[\da-f]+)"$/i.exec(text))],
  ['eth_getBlockByNumber', block],
  ['eth_getBlockByHash', block],
  ['eth_getHeaderByNumber', block],
  ['eth_getHeaderByHash', block],
  ['eth_getTransactionByHash', included],
  ['eth_getTransactionReceipt', included],
  // Logs come in the order of their blocks.
  ['eth_getLogs', (text) => quantityAfter(text, text.lastIndexOf('"blockNumber"'), 13)],
])

/**
 * Reads the height that an answer of an EVM node tells its caller: the chain's head is no lower. A height that is no safe integer is of no chain.
 * Parses nothing.
 */
export function evmHeadOf(request: RpcRequest, response: RpcResponse): number | undefined {
  const read = heads.get(request.method)
  if (read === undefined) return undefined
  const text = textIn(response)
  return text === undefined ? undefined : read(text, request)
}

const quantity = /\s*:\s*"(0x[\da-f]+)"/iy

/** Reads the quantity after a member's name of some length at `at`; -1: there is no such member. */
function quantityAfter(text: string, at: number, length: number): number | undefined {
  if (at === -1) return undefined
  quantity.lastIndex = at + length
  return quantityIn(quantity.exec(text))
}

function quantityIn(match: RegExpExecArray | null): number | undefined {
  return match ? Number(match[1]) : undefined
}
