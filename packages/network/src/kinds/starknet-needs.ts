import type { RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { starknetMethods, starknetVersions, type StarknetVersion } from '@wayleave/starknet-types'
import { textIn } from './head-of.ts'
import { laterNeed, type Need, numberNeed, tagNeeds } from './needs.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** The tags of all versions. A block that L1 has accepted is final. */
const tags: Readonly<Record<string, Need>> = {
  latest: tagNeeds.latest,
  pending: tagNeeds.pending,
  pre_confirmed: tagNeeds.pending,
  l1_accepted: tagNeeds.finalized,
}

/** Methods without a block of their own whose answers move with the head. */
const onHead = new Set([
  'starknet_blockNumber',
  'starknet_blockHashAndNumber',
  'starknet_getTransactionByHash',
  'starknet_getTransactionReceipt',
  'starknet_getTransactionStatus',
  'starknet_getMessagesStatus',
  'starknet_traceTransaction',
])

/** Tells what a call of Starknet needs, its params by place or by name; undefined: nothing, or the params are not well formed. */
export function starknetNeeds(request: RpcRequest): Need | undefined {
  const { method, params } = request
  if (onHead.has(method)) return tagNeeds.latest
  if (method === 'starknet_getEvents') return eventsNeed(paramOf(params?.value(), 0, 'filter'))
  const place = placesOf(hintsOf(request).apiVersion).get(method)
  return place === undefined ? undefined : blockNeed(paramOf(params?.value(), place, 'block_id'))
}

type Places = ReadonlyMap<string, number>

/** The places of the block parameters in each version. */
const placesByVersion: ReadonlyMap<string, Places> = new Map(
  starknetVersions.map((version) => [version, blockParams(starknetMethods[version])]),
)

function blockParams(methods: MethodFacts): Places {
  return new Map(
    Object.entries(methods).flatMap(([method, { blockParam }]) =>
      blockParam === undefined ? [] : [[method, blockParam] as const],
    ),
  )
}

const newest: StarknetVersion = starknetVersions.at(-1)!

/** The gateway's own calls speak no version. */
function placesOf(version: string = newest): Places {
  return placesByVersion.get(version) ?? placesByVersion.get(newest)!
}

function paramOf(params: unknown, place: number, name: string): unknown {
  if (Array.isArray(params)) return params[place]
  return (Object(params) as Readonly<Record<string, unknown>>)[name]
}

/** Reads a block id: a tag, `{ block_number }` or `{ block_hash }`. */
function blockNeed(block: unknown): Need | undefined {
  if (typeof block === 'string') return Object.hasOwn(tags, block) ? tags[block] : undefined
  const { block_hash: hash, block_number: number } = Object(block) as Readonly<Record<string, unknown>>
  if (hash === undefined) return numberNeed(number)
  return typeof hash === 'string' && /^0x[\da-f]{1,64}$/i.test(hash)
    ? { hash: `0x${BigInt(hash).toString(16)}` }
    : undefined
}

/** Reads the ends of a filter; without a last block it ends with the head. */
function eventsNeed(filter: unknown): Need | undefined {
  if (typeof filter !== 'object' || filter === null) return undefined
  const { from_block: from, to_block: to } = filter as Readonly<Record<string, unknown>>
  const last = to === undefined || to === null ? tagNeeds.latest : blockNeed(to)
  if (from === undefined || from === null || last === undefined) return last
  return laterNeed(last, blockNeed(from))
}

/** Methods whose answer is a block or stands in one. */
const inBlock = new Set([
  'starknet_blockHashAndNumber',
  'starknet_getBlockWithTxHashes',
  'starknet_getBlockWithTxs',
  'starknet_getBlockWithReceipts',
  'starknet_getTransactionReceipt',
])

/** Reads the height that an answer of a Starknet node tells its caller: the chain's head is no lower. Parses nothing. */
export function starknetHeadOf({ method }: RpcRequest, response: RpcResponse): number | undefined {
  const isNumber = method === 'starknet_blockNumber'
  if (!isNumber && !inBlock.has(method)) return undefined
  const text = textIn(response)
  if (text === undefined) return undefined
  if (isNumber) return heightIn(/^\s*(\d{1,16})\s*$/.exec(text))
  // A block that is being built stands above the head, with or without a hash.
  const isAccepted = text.includes('"block_hash"') && !unaccepted.test(text)
  return isAccepted ? heightIn(/"block_number"\s*:\s*(\d{1,16})\b/.exec(text)) : undefined
}

const unaccepted = /"(?:finality_)?status"\s*:\s*"(?:PRE_CONFIRMED|PENDING)"/

function heightIn(match: RegExpExecArray | null): number | undefined {
  const height = Number(match?.[1])
  return Number.isSafeInteger(height) ? height : undefined
}
