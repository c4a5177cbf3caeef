import { cutParts, type RawJson, rawJsonFromText, type RpcContext } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import type { Ask } from './chain-source.ts'
import { heightOf, hex } from './quantity.ts'
import type { UnsealedKind } from './unsealed-order.ts'

/** The params of a subscription after its kind. */
export type UnsealedArguments = readonly unknown[]

/** Blocks before the block in progress whose events are asked for. */
export const mostMissed = 16
/** Bytes of logs that are taken as one answer. */
const mostBytes = 16_777_216

/**
 * Asks for the events of the blocks from a height on, the one in progress included, as far as nodes have them: logs, and hashes of transactions. Parts of
 * blocks, and transactions in whole, are those of the stream alone.
 * @throws RpcError as the handler rejects
 */
export async function unsealedSince(
  kind: UnsealedKind,
  [argument]: UnsealedArguments,
  from: number,
  ask: Ask,
  context: RpcContext,
): Promise<readonly RawJson[]> {
  if (kind === 'pendingLogs') {
    const filter = { ...(argument as object | undefined), fromBlock: hex(from), toBlock: 'pending' }
    return itemsOf(await askOnce(ask, 'eth_getLogs', [filter], context, mostBytes))
  }
  if (kind === 'newFlashblocks' || Boolean(argument)) return []
  const blockAt = (place: string): Promise<RawJson> =>
    askOnce(ask, 'eth_getBlockByNumber', [place, false], context, mostBytes)
  const pending = await blockAt('pending')
  const height = heightOf((pending.value() as { readonly number?: unknown } | null)?.number)
  if (height === undefined || height < from) return []
  const heights = Array.from({ length: Math.max(0, Math.min(height - from, mostMissed)) }, (_, i) => height - 1 - i)
  const sealed = await Promise.all(heights.toReversed().map((number) => blockAt(hex(number))))
  return [...sealed, pending].flatMap((block) => {
    const { transactions } = Object(block.value()) as { readonly transactions?: unknown }
    const hashes = Array.isArray(transactions) ? transactions.filter((hash) => typeof hash === 'string') : []
    return hashes.map((hash) => rawJsonFromText(JSON.stringify(hash), hash))
  })
}

/** The items of an array, none of them parsed: it may be long. */
function itemsOf(answer: RawJson): readonly RawJson[] {
  const text = answer.text()
  const begin = text.search(/\S/)
  const items: RawJson[] = []
  if (text[begin] === '[') cutParts(text, begin, (start, end) => items.push(rawJsonFromText(text.slice(start, end))))
  return items
}
