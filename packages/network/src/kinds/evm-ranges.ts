import { createHash } from 'node:crypto'
import { classifyNodeError, rangeLimitOf } from '@wayleave/evm-types'
import type { RawJson, RpcErrorObject, RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { type AskedRange, blocksOf, type KnownLimit, type RangeRefusal } from '@wayleave/upstream'
import { actionByWords } from './error-actions.ts'
import { hasRange } from './method-facts.ts'
import { holdsWords } from './words-of-caller.ts'

/** The heights that the tags of a range stand for; undefined where they are not known. */
export interface RangeHeads {
  readonly latest: number | undefined
  readonly safe: number | undefined
  readonly finalized: number | undefined
}

/** Calls that ask for as long a range of blocks as their callers like. */
export interface RangeKind {
  readonly methods: ReadonlySet<string>
  /** Reads the range of such a call; undefined: one block by its hash, a tag that is not known, or params that are not well formed. */
  rangeOf(request: RpcRequest, heads: RangeHeads): AskedRange | undefined
  /**
   * Reads a node's error; `failed`: it broke down, perhaps over the range; undefined: it has nothing to do with the range, or may repeat words of
   * its caller.
   */
  refusalOf(request: RpcRequest, error: RpcErrorObject): RangeRefusal | 'failed' | undefined
  /** Makes the error of a range that all upstreams would refuse; `limit`: of the one that allows most. */
  refuse(range: AskedRange, limit: KnownLimit): RpcErrorObject
}

/** Searches of more characters are told apart by a digest. */
const longestKey = 96
const statuses = new Set(['timeout', 'internal'])

/** Makes the range calls of EVM nodes: those that `facts` say to ask for a range, `eth_getLogs` and `trace_filter`, and the latter of Arbitrum's. */
export function evmRanges(facts: MethodFacts): RangeKind {
  const methods = new Set(Object.keys(facts).filter((method) => hasRange(facts, method)))
  return { methods, rangeOf, refusalOf, refuse }
}

function rangeOf({ method, params }: RpcRequest, heads: RangeHeads): AskedRange | undefined {
  const args = params?.value()
  const filter: unknown = Array.isArray(args) ? args[0] : undefined
  if (typeof filter !== 'object' || filter === null) return undefined
  const { fromBlock, toBlock, blockHash, ...search } = filter as Readonly<Record<string, unknown>>
  if (blockHash !== undefined && blockHash !== null) return undefined
  const from = heightOf(fromBlock, heads)
  const asked = heightOf(toBlock, heads)
  if (from === undefined || asked === undefined) return undefined
  const isCut = heads.latest !== undefined && asked > heads.latest
  const to = isCut ? heads.latest : asked
  if (from > to) return undefined
  // Services allow longer ranges where a search names addresses.
  const { address } = search
  const isOfAddress = typeof address === 'string' || (Array.isArray(address) && address.length > 0)
  const anyAddress = method === 'eth_getLogs' && !isOfAddress
  return {
    from,
    to,
    isCut,
    kind: anyAddress ? `${method} of any address` : method,
    easier: anyAddress ? method : undefined,
    key: keyOf(method, search, params!),
  }
}

/** Reads an end of a range; absent is the latest block. */
function heightOf(end: unknown, { latest, safe, finalized }: RangeHeads): number | undefined {
  if (end === undefined || end === null || end === 'latest' || end === 'pending') return latest
  if (end === 'earliest') return 0
  if (end === 'safe') return safe
  if (end === 'finalized') return finalized
  const number = typeof end === 'number' || (typeof end === 'string' && /^0x[\da-f]+$/i.test(end)) ? Number(end) : -1
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** The keys of long searches, by the params of their calls: a call is looked at again when it is answered. */
const longKeys = new WeakMap<RawJson, string>()

/** Equal for searches that differ in the order of their members and the case of their digits alone. */
function keyOf(method: string, search: Readonly<Record<string, unknown>>, params: RawJson): string {
  const known = longKeys.get(params)
  if (known !== undefined) return known
  const members = Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const key = `${method} ${JSON.stringify(members).toLowerCase()}`
  if (key.length <= longestKey) return key
  const digest = createHash('sha256').update(key).digest('base64')
  longKeys.set(params, digest)
  return digest
}

function refusalOf(request: RpcRequest, error: RpcErrorObject): RangeRefusal | 'failed' | undefined {
  if (actionByWords(error, { mayRepeat: true, hasRange: true }) === 'range')
    return holdsWords(request) ? undefined : { ...rangeLimitOf(error), words: error }
  return statuses.has(classifyNodeError(error)) ? 'failed' : undefined
}

function refuse(range: AskedRange, { blocks, of, isReported, words }: KnownLimit): RpcErrorObject {
  if (words !== undefined) return words
  const count = blocksOf(range)
  const from = hex(range.from)
  const to = hex(range.from + Math.min(blocks, count) - 1)
  const proposal = count === 1 ? '' : `. Try with this block range [${from}, ${to}].`
  if (of === 'results')
    return {
      code: -32_005,
      message: `the query has more results than any upstream gives${proposal}`,
      data: { from, to },
    }
  const reported = isReported
    ? `range ${count} exceeds limit of ${blocks}`
    : `range ${count} is too large for all upstreams`
  return { code: -32_602, message: `${reported}${proposal}`, data: { from, to, ...(isReported && { limit: blocks }) } }
}

const hex = (number: number): string => `0x${number.toString(16)}`
