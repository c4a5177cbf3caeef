import type { RawJson, RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnswerLife } from '@wayleave/rpc-cache'
import { canonicalFelt } from './starknet-felt.ts'

type Members = Readonly<Record<string, unknown>>

/** Longest result that is parsed, in bytes. Of a longer one the first byte decides, unless it is a block. */
const longestParsed = 262_144

const blocks = /^starknet_(?:getBlockWith|getStateUpdate)/
const transactions = /^starknet_getTransaction(?:ByHash|Receipt)$/
const felts = /^starknet_(?:getNonce|getClassHashAt|getStorageAt|chainId)$/
const lists = /^starknet_(?:call|estimateFee|estimateMessageFee|simulateTransactions|traceBlockTransactions)$/
const objects = /^starknet_(?:getClass|getClassAt|getEvents|traceTransaction|getStorageProof)$/

/** Whether an answer has its method's shape and names the block or transaction that was asked for. */
export function isStarknetNamed({ method, params }: RpcRequest, life: AnswerLife, result: RawJson): boolean {
  const isOwn = blocks.test(method) || transactions.test(method)
  if (!isOwn && result.byteLength > longestParsed) return /^\s*[[{]/.test(firstCharacter(result))
  const value = result.value()
  if (blocks.test(method)) {
    if (!isMembers(value) || canonicalFelt(value['block_hash']) === undefined) return false
    const asked = askedBlock(params?.value(), life)
    const number = value['block_number']
    if (asked.hash !== undefined && canonicalFelt(value['block_hash']) !== asked.hash) return false
    return asked.number === undefined || number === undefined || number === asked.number
  }
  if (transactions.test(method)) {
    const args: unknown = params?.value()
    const asked: unknown = Array.isArray(args) ? args[0] : (Object(args) as Members)['transaction_hash']
    return isMembers(value) && canonicalFelt(value['transaction_hash']) === canonicalFelt(asked)
  }
  if (felts.test(method)) {
    // Nodes from 0.10 on may answer a value of storage with the block that wrote it.
    return canonicalFelt(value) !== undefined || (method === 'starknet_getStorageAt' && isMembers(value))
  }
  if (method === 'starknet_getBlockTransactionCount') return Number.isSafeInteger(value)
  if (lists.test(method)) return typeof value === 'object' && value !== null
  return !objects.test(method) || isMembers(value)
}

/** The block that a question names, by its hash or number. */
function askedBlock(params: unknown, life: AnswerLife): { readonly hash?: unknown; readonly number?: unknown } {
  if (life.of === 'block') return { hash: canonicalFelt(life.hash) }
  if (life.of === 'head') return { hash: canonicalFelt(life.at.hash) }
  const args = Object(params) as Members
  const id = Object(Array.isArray(params) ? (params as readonly unknown[])[0] : args['block_id']) as Members
  return { hash: canonicalFelt(id['block_hash']), number: id['block_number'] }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function firstCharacter(result: RawJson): string {
  return String.fromCodePoint(result.chunks()[0]?.[0] ?? 0)
}
