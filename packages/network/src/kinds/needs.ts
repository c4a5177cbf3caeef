import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

/**
 * The block that the answer to a call depends on: a node that does not have it cannot give the answer. A number may be beyond every
 * head, because callers choose it.
 */
export type Need =
  | { readonly atLeast: number }
  /** In lower case. */
  | { readonly hash: string }
  | { readonly tag: NeedTag }

/** A block by name. `latest` is also the need of a call that finds a transaction wherever it was included. */
export type NeedTag = 'latest' | 'pending' | 'safe' | 'finalized'

/** The need for each tag. */
export const tagNeeds: Readonly<Record<NeedTag, Need>> = {
  latest: { tag: 'latest' },
  pending: { tag: 'pending' },
  safe: { tag: 'safe' },
  finalized: { tag: 'finalized' },
}

type ReadNeed = (request: RpcRequest) => Need | undefined

/** Makes the function that tells what calls of EVM methods need; undefined: nothing, or the params are not well formed. */
export function evmNeeds(facts: MethodFacts): ReadNeed {
  const reads = new Map<string, ReadNeed>()
  for (const [method, { effect, blockParam, cache, paramNames = [] }] of Object.entries(facts)) {
    if (effect !== 'read') continue
    const hashParam = paramNames.indexOf('blockHash')
    if (blockParam !== undefined) reads.set(method, blockAt(blockParam))
    else if (hashParam !== -1) reads.set(method, (request) => hashNeed(arrayOf(request)?.[hashParam]))
    else if (cache === 'range') reads.set(method, (request) => rangeNeed(arrayOf(request)?.[0]))
    else if (cache === 'head' || cache === 'result') reads.set(method, () => tagNeeds.latest)
  }
  reads.set('debug_traceCallMany', (request) => placeNeed(arrayOf(request)?.[1]))
  // It chooses the sender's next nonce.
  reads.set('eth_fillTransaction', () => tagNeeds.pending)
  return (request) => reads.get(request.method)?.(request)
}

/** Reads the block parameter at an index. The usual tag is found without parsing, since the params of a call may be long. */
function blockAt(index: number): ReadNeed {
  return (request) => {
    const { params } = request
    if (params === undefined) return tagNeeds.latest
    const text = params.text()
    if (index === 0 ? text.startsWith('["latest"') : text.endsWith(',"latest"]')) return tagNeeds.latest
    const args = arrayOf(request)
    return args && blockNeed(args[index])
  }
}

function arrayOf({ params }: RpcRequest): readonly unknown[] | undefined {
  const args = params?.value()
  return Array.isArray(args) ? args : undefined
}

/** Reads a block parameter: a tag, a number, a hash, or an object of EIP-1898. */
function blockNeed(block: unknown): Need | undefined {
  if (block === undefined || block === null) return tagNeeds.latest
  if (typeof block === 'object') {
    const { blockHash, blockNumber } = block as { readonly blockHash?: unknown; readonly blockNumber?: unknown }
    if (blockHash !== undefined) return hashNeed(blockHash)
    return typeof blockNumber === 'string' ? blockNeed(blockNumber) : undefined
  }
  if (typeof block === 'number') return numberNeed(block)
  if (typeof block !== 'string') return undefined
  if (Object.hasOwn(tagNeeds, block)) return tagNeeds[block as NeedTag]
  return hashNeed(block) ?? (/^0x[\da-f]+$/i.test(block) ? numberNeed(Number(block)) : undefined)
}

/** The need for a height: none where it is no safe integer. */
export function numberNeed(number: unknown): Need | undefined {
  return Number.isSafeInteger(number) && (number as number) >= 0 ? { atLeast: number as number } : undefined
}

function hashNeed(hash: unknown): Need | undefined {
  return typeof hash === 'string' && /^0x[\da-f]{64}$/i.test(hash) ? { hash: hash.toLowerCase() } : undefined
}

/** Reads the blocks of a filter: the one of its hash, else the later end. */
function rangeNeed(filter: unknown): Need | undefined {
  if (typeof filter !== 'object' || filter === null) return undefined
  const { blockHash, fromBlock, toBlock } = filter as Readonly<Record<string, unknown>>
  if (blockHash !== undefined && blockHash !== null) return hashNeed(blockHash)
  const ends = [fromBlock ?? 'latest', toBlock ?? 'latest'].filter((end) => end !== 'earliest').map(blockNeed)
  return ends.includes(undefined) ? undefined : laterNeed(ends[0], ends[1])
}

/** The one of two needs that a node meets only if it meets both; a height counts as more than a block that is long settled. */
export function laterNeed(a: Need | undefined, b: Need | undefined): Need | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if ('atLeast' in a && 'atLeast' in b) return a.atLeast < b.atLeast ? b : a
  return rankOf(a) < rankOf(b) ? b : a
}

const ranks: Readonly<Record<NeedTag, number>> = { finalized: 0, safe: 1, latest: 3, pending: 4 }

function rankOf(need: Need): number {
  return 'tag' in need ? ranks[need.tag] : 2
}

/** Reads the place in a block where bundles are executed. */
function placeNeed(place: unknown): Need | undefined {
  const { blockNumber } = Object(place) as { readonly blockNumber?: unknown }
  return blockNumber === undefined ? undefined : blockNeed(blockNumber)
}
