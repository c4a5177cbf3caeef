import type { RawJson } from '@wayleave/jsonrpc-core'
import { type LogCriteria, logCriteriaOf } from './log-filter.ts'
import { heightOf } from './quantity.ts'
import type { ResumeFrom } from './resume-from.ts'
import type { UnsealedKind } from './unsealed-order.ts'

/** A subscription as its params ask for it. */
export type WantedEvents =
  | { readonly kind: 'newHeads'; readonly from: ResumeFrom | undefined }
  | { readonly kind: 'logs'; readonly criteria: LogCriteria; readonly from: ResumeFrom | undefined }
  | { readonly kind: 'transactionReceipts'; readonly hashes: ReadonlySet<string> | undefined }
  | { readonly kind: 'syncing' }
  /** Only nodes have it. `params` is the same text for all who want the same. `pending`: transactions, their hashes or they themselves. */
  | { readonly kind: 'pending' | 'other'; readonly params: string }
  /** Only nodes with flashblocks have it. `rest`: the params after the kind, without the place to begin from. */
  | {
      readonly kind: 'unsealed'
      readonly name: UnsealedKind
      readonly rest: readonly unknown[]
      readonly from: number | undefined
    }

/** Reads the params of `eth_subscribe`, whose kind and arguments were checked. */
export function wantedEvents(params: RawJson): WantedEvents {
  const [kind, argument, ...rest] = params.value() as [string, unknown?, ...unknown[]]
  switch (kind) {
    case 'newHeads':
    case 'logs': {
      const from = resumeFrom(argument) as ResumeFrom | undefined
      return kind === 'newHeads' ? { kind, from } : { kind, from, criteria: logCriteriaOf(argument) }
    }
    case 'transactionReceipts': {
      const { transactionHashes } = Object(argument) as { readonly transactionHashes?: readonly string[] | null }
      const isAll = transactionHashes === undefined || transactionHashes === null || transactionHashes.length === 0
      return { kind, hashes: isAll ? undefined : new Set(transactionHashes.map((hash) => hash.toLowerCase())) }
    }
    case 'syncing':
      return { kind }
    case 'newPendingTransactions':
      return { kind: 'pending', params: JSON.stringify(argument === true ? [kind, true] : [kind]) }
    case 'newFlashblocks':
    case 'newFlashblockTransactions':
    case 'pendingLogs': {
      const isNothing = argument === undefined || argument === null || argument === false
      const given = isNothing && rest.length === 0 ? [] : [argument, ...rest]
      return {
        kind: 'unsealed',
        name: kind,
        ...(rest.length === 0 ? placeCut(kind, given) : { rest: given, from: undefined }),
      }
    }
    default:
      return { kind: 'other', params: JSON.stringify([kind, ...(argument === undefined ? [] : [argument]), ...rest]) }
  }
}

/** Cuts the place out of an object, which nodes do not know there. */
function placeCut(
  kind: UnsealedKind,
  given: readonly unknown[],
): { readonly rest: readonly unknown[]; readonly from: number | undefined } {
  const { fromBlock, ...filter } = Object(given[0]) as Readonly<Record<string, unknown>>
  const from = heightOf(fromBlock)
  if (from === undefined || kind === 'newFlashblockTransactions') return { rest: given, from: undefined }
  return { rest: Object.keys(filter).length === 0 ? [] : [filter], from }
}

/** Tags that mean no block of the past. */
const live = new Set<unknown>([undefined, null, 'latest', 'pending'])

/**
 * Reads the place from which a subscription goes on, in a filter or an option object. Undefined: it begins now, as also where
 * `fromBlock` is 0x0 beside `toBlock`: ethclient of go-ethereum writes that where its caller names no block.
 */
export function resumeFrom(argument: unknown): ResumeFrom | { readonly problem: string } | undefined {
  const { fromBlock, fromHash, toBlock } = Object(argument) as Readonly<Record<string, unknown>>
  if (!live.has(toBlock)) return { problem: 'toBlock: a subscription has no end, leave it out' }
  const hasHash = fromHash !== undefined && fromHash !== null
  const isLive = live.has(fromBlock) || (fromBlock === '0x0' && toBlock !== undefined)
  if (hasHash) {
    if (!isLive) return { problem: 'cannot specify both fromBlock and fromHash, choose one or the other' }
    if (typeof fromHash !== 'string' || !/^0x[\da-f]{64}$/i.test(fromHash)) {
      return { problem: 'fromHash: expected the hash of a block, 32 bytes in hex' }
    }
    return { fromHash: fromHash.toLowerCase() }
  }
  if (isLive) return undefined
  if (fromBlock === 'earliest') return { fromBlock: 0 }
  if (typeof fromBlock === 'string' && /^0x(0|[1-9a-f][\da-f]{0,12})$/i.test(fromBlock)) {
    return { fromBlock: Number(fromBlock) }
  }
  return { problem: 'fromBlock: expected a block number in hex, earliest or latest' }
}
