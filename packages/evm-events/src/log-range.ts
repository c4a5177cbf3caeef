import { type RawJson, type RpcContext, RpcError, type RpcErrorObject, type RpcHandler } from '@wayleave/jsonrpc-core'
import { askOnce } from './ask-once.ts'
import { streamBlockOf } from './block.ts'
import type { BlockPosition } from './chain-source.ts'
import { invalidParams } from './invalid-params.ts'
import { hex } from './quantity.ts'

/** The parts of a filter that tell its range. */
export interface Filter {
  readonly blockHash?: unknown
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
}

/** Gives the head that `latest` means; undefined while none is known. */
export type HeadOf = () => BlockPosition | undefined

/** The one filter in the params; undefined where the peer has to tell what is wrong, and for one by block hash. */
export function filterIn(params: RawJson | undefined): Filter | undefined {
  const value = params?.value()
  if (!Array.isArray(value) || value.length !== 1) return undefined
  const [filter] = value as unknown[]
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return undefined
  const { blockHash } = filter as Filter
  return blockHash === undefined || blockHash === null ? filter : undefined
}

/**
 * Tells whether a filter of traces can be split: it has no page (`after`, `count`), whose places are those of the whole, and both its ends are known
 * here, up to `most` blocks. Nodes that have pruned their history mean another block where no first one is named.
 */
export function isSplittableTrace(
  filter: Filter & { readonly after?: unknown; readonly count?: unknown },
  head: number | undefined,
  most: number,
): boolean {
  const { fromBlock, toBlock, after, count } = filter
  if ((after ?? count ?? undefined) !== undefined || (fromBlock ?? undefined) === undefined) return false
  if (fromBlock === 'pending' || toBlock === 'pending') return false
  const blocks = blocksAtMost(filter, head)
  return blocks > 1 && blocks <= most
}

interface Range {
  readonly fromBlock: number
  /** Below `fromBlock` where the range is empty. */
  readonly toBlock: number
  /** The known head, and the highest one that a node told where the range ends above that. */
  readonly head: number
  readonly highest: number
}

/** Reads the range, each tag once. Errors are in geth's words. */
export async function rangeOf(
  ask: RpcHandler,
  filter: Filter,
  headOf: HeadOf,
  context: RpcContext,
): Promise<Range | RpcErrorObject> {
  const heights = new Map<unknown, Promise<number | undefined> | number>([['earliest', 0]])
  const find = (place: unknown): Promise<number | undefined> | number => {
    const height = heights.get(place) ?? heightOfNumber(place) ?? heightAt(ask, place as string, context)
    heights.set(place, height)
    return height
  }
  const { fromBlock, toBlock } = { fromBlock: filter.fromBlock ?? 'latest', toBlock: filter.toBlock ?? 'latest' }
  for (const place of [fromBlock, toBlock]) {
    if (place === 'pending') return invalidParams('pending logs are not supported')
    if (heightOfNumber(place) === undefined && !tags.has(place)) {
      return invalidParams('invalid argument 0: expected a hex block number without leading zeros (0x1b4) or a tag')
    }
  }
  const known = headOf()
  if (known !== undefined) heights.set('latest', known.number)
  const [from, to, head] = await Promise.all([find(fromBlock), find(toBlock), find('latest')])
  if (from === undefined || to === undefined || head === undefined) {
    throw new RpcError('unavailable', 'expected the block of a tag, got none')
  }
  if (from > to) {
    return tags.has(fromBlock) || tags.has(toBlock)
      ? { fromBlock: from, toBlock: to, head, highest: head }
      : invalidParams('invalid block range params')
  }
  const highest = to > head ? await headFrom(ask, to, context) : head
  if (highest === undefined) {
    return invalidParams('block range extends beyond current head block')
  }
  return { fromBlock: from, toBlock: to, head, highest }
}

/** The head of a node that has come to a height, at which no block may have been made; undefined where none tells one. */
async function headFrom(ask: RpcHandler, height: number, context: RpcContext): Promise<number | undefined> {
  const found = await heightAt(ask, hex(height), context).catch((thrown: unknown) => thrown)
  if (found === height) return height
  const head = await heightAt(ask, 'latest', context)
  if (head !== undefined && head > height) return head
  if (found instanceof Error && context.cancelled === undefined) throw found
  return undefined
}

const tags = new Set<unknown>(['latest', 'earliest', 'safe', 'finalized'])

/**
 * Gives the most blocks that a range can have, without asking for a height; 1 for numbers the wrong way round, which a node refuses.
 * Infinity where its ends have to be looked at: they are not well formed, above the head, or tags while no head is known.
 */
export function blocksAtMost({ fromBlock, toBlock }: Filter, head: number | undefined): number {
  const [from, to] = [heightKnown(fromBlock, head), heightKnown(toBlock, head)]
  if (from === undefined || to === undefined) {
    const [start, end] = [fromBlock ?? 'latest', toBlock ?? 'latest']
    return start === end && tags.has(start) ? 1 : Number.POSITIVE_INFINITY
  }
  // A node refuses numbers the wrong way round in its own words.
  if (from > to && heightOfNumber(fromBlock) === from && heightOfNumber(toBlock) === to) return 1
  const isOdd = from > to || (head !== undefined && to > head) || fromBlock === 'safe' || fromBlock === 'finalized'
  return isOdd ? Number.POSITIVE_INFINITY : to - from + 1
}

/** Gives the last block that an answer has to know; undefined where none is known, as for `safe` and `finalized`: each node has its own. */
export function lastBlockOf({ toBlock }: Filter, head: number | undefined): number | undefined {
  return toBlock === 'safe' || toBlock === 'finalized' ? undefined : heightKnown(toBlock, head)
}

/** The height of a place; of `safe` and `finalized` the head, which they are not above. */
function heightKnown(place: unknown, head: number | undefined): number | undefined {
  if (place === 'earliest') return 0
  return place === undefined || place === null || tags.has(place) ? head : heightOfNumber(place)
}

function heightOfNumber(place: unknown): number | undefined {
  return typeof place === 'string' && /^0x(?:0|[1-9a-f][\da-f]{0,12})$/i.test(place) ? Number(place) : undefined
}

async function heightAt(ask: RpcHandler, place: string, context: RpcContext): Promise<number | undefined> {
  return streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [place, false], context))?.number
}
