import { rawJsonFromText, rawJsonFromValue, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import { starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import type { Position } from '@wayleave/upstream'
import { valueOf } from './chain-of.ts'
import type { CacheHeads, CacheKind } from './cache-kind.ts'
import { canonicalFelt } from './starknet-felt.ts'
import { isStarknetNamed } from './starknet-named.ts'
import { hasOneReading } from './evm-canonical.ts'
import { createRecentPlans } from './recent-plans.ts'
import { hintsOf } from '../hints/call-hints.ts'

/** A question without the heads of the moment. */
type Plan = (request: RpcRequest, heads: CacheHeads) => CachedQuestion | undefined
type Params = readonly unknown[] | Readonly<Record<string, unknown>>
type ReadPlan = (params: Params) => Plan | undefined

type BlockRef = 'latest' | { readonly hash: string } | { readonly number: number }

/** Longest params that are looked at, in bytes, and longest that are remembered. */
const longestParams = 65_536
const longestRemembered = 1_024
const mostRemembered = 2_048

/**
 * Creates the names of the questions of Starknet's nodes, by the facts of their methods in the version that the caller speaks. A block that L1
 * has accepted is final; a block and a receipt say so, and are kept for longer than a head only then.
 */
export function starknetCache(): CacheKind {
  const readers = new Map(starknetVersions.map((version) => [version as string, readersOf(starknetMethods[version])]))
  const plans = createRecentPlans<Plan>(mostRemembered)

  function planOf(request: RpcRequest): Plan | undefined {
    const { method, params } = request
    const version = hintsOf(request).apiVersion
    const read = version === undefined ? undefined : readers.get(version)?.get(method)
    if (read === undefined || (params?.byteLength ?? 0) > longestParams) return undefined
    const text = params?.text() ?? '[]'
    const name = `${version} ${method} ${text}`
    const isShort = text.length <= longestRemembered
    const known = isShort ? plans.get(name) : undefined
    if (known !== undefined) return known ?? undefined
    const value: unknown = params?.value() ?? []
    const plan = typeof value === 'object' && hasOneReading(text, value) ? read(value as Params) : undefined
    const own: Plan | undefined =
      plan &&
      ((asked, heads) => {
        const question = plan(asked, heads)
        return question && spokenIn(version!, question)
      })
    if (isShort) plans.set(name, own ?? null)
    return own
  }

  return {
    answerAt({ method, params }, { number, hash }) {
      if (params !== undefined && !/^\s*(?:\[\s*\]|\{\s*\})\s*$/.test(params.text())) return undefined
      if (method === 'starknet_blockNumber') return { result: rawJsonFromText(String(number)) }
      if (method !== 'starknet_blockHashAndNumber') return undefined
      return { result: rawJsonFromValue({ block_hash: hash, block_number: number }) }
    },
    classify(request, heads) {
      if (request.notification) return undefined
      try {
        return planOf(request)?.(request, heads)
      } catch {
        // Params that are no JSON are the node's to refuse.
        return undefined
      }
    },
    positionOf: ({ method }, result) => (reportsFinality.has(method) ? settledPlaceOf(result.text()) : undefined),
    isEmpty: (result) => result.byteLength <= 4 && /^\s*\[\s*\]\s*$/.test(result.text()),
    isUnsound({ method }, result) {
      if (result.byteLength === 4 && result.text() === 'null') return true
      // The place of the next page is a word of the node that gave this one.
      return method === 'starknet_getEvents' && result.text().includes('"continuation_token"')
    },
    isNamed: isStarknetNamed,
    isAnswer: ({ code }) => code > 0 && code < 100 && code !== blockNotFound,
    blockAt: (block_number) => ({
      method: 'starknet_getBlockWithTxHashes',
      params: rawJsonFromValue([{ block_number }]),
      notification: false,
    }),
    hashIn(response) {
      if (response.error?.code === blockNotFound) return null
      const { block_hash: hash } = Object(valueOf(response)) as { readonly block_hash?: unknown }
      return typeof hash === 'string' && /^0x[\da-f]{1,64}$/i.test(hash) ? `0x${BigInt(hash).toString(16)}` : undefined
    },
    resets: (method) => method.startsWith('devnet_'),
  }
}

const blockNotFound = 24

/** Methods whose answers tell whether L1 has accepted their block. */
const reportsFinality: ReadonlySet<string> = new Set([
  'starknet_getBlockWithTxHashes',
  'starknet_getBlockWithTxs',
  'starknet_getBlockWithReceipts',
  'starknet_getTransactionReceipt',
])

/** Answers of two versions differ. A question that is asked as it came stays one. */
function spokenIn(version: string, question: CachedQuestion): CachedQuestion {
  const { life } = question
  const key = `${version} ${question.key}`
  if (!('ask' in question)) return { key, life }
  return {
    key,
    life,
    get ask() {
      return question.ask
    },
  }
}

function readersOf(facts: MethodFacts): ReadonlyMap<string, ReadPlan> {
  return new Map(
    Object.keys(facts).flatMap((method) => {
      const read = readerOf(method, facts)
      return read === undefined ? [] : [[method, read] as const]
    }),
  )
}

/** Methods that some nodes answer at their own head alone: a hash in place of `latest` is refused once a block came after it. */
const headAlone: ReadonlySet<string> = new Set(['starknet_getStorageProof'])

/** Makes the reader of a method's params; undefined: it has no answer that may be kept. */
function readerOf(method: string, facts: MethodFacts): ReadPlan | undefined {
  const { effect, cache, blockParam, paramNames = [] } = facts[method]!
  if (effect !== 'read' || cache === undefined) return undefined
  if (cache === 'range') return readEvents
  // The served head is the answer to questions for it, and no node's.
  if (/^starknet_block(?:Number|HashAndNumber)$/.test(method)) return undefined
  const readOthers = othersReader(paramNames, blockParam)
  if (blockParam === undefined) {
    return (params) => {
      const others = readOthers(params)
      return others === undefined ? undefined : blocklessPlan(cache, `${method}${others}`)
    }
  }
  const name = paramNames[blockParam]!
  const keepsTag = headAlone.has(method)
  return (params) => {
    const others = readOthers(params)
    const ref = blockRef(paramAt(params, blockParam, name))
    if (others === undefined || ref === undefined || (keepsTag && ref === 'latest')) return undefined
    const paramsAt = (hash: string): Params => withParam(params, blockParam, name, { block_hash: hash })
    return blockPlan({ method, others, ref, paramsAt })
  }
}

function blocklessPlan(cache: NonNullable<MethodFacts[string]['cache']>, key: string): Plan {
  if (cache === 'fixed') return () => ({ key, life: { of: 'params' } })
  if (cache === 'result') return () => ({ key, life: { of: 'answer' } })
  return (_request, { head }) => head && { key: `${key}^${head.hash}`, life: lifeOfHead(head) }
}

const lifeOfHead = ({ number: height, hash }: Position) => ({ of: 'head', at: { height, hash } }) as const

interface BlockPlanOptions {
  readonly method: string
  readonly others: string
  readonly ref: BlockRef
  /** The params with a block by its hash in place of theirs. */
  readonly paramsAt: (hash: string) => Params
}

/** A question at a block: as it came where that is final, or named by its hash; else by the hash that the served chain has there. */
function blockPlan({ method, others, ref, paramsAt }: BlockPlanOptions): Plan {
  const isReported = reportsFinality.has(method)

  /** The question at the served head: an answer that tells of finality holds no longer than the head. */
  function atBlock(block: Position, request: RpcRequest, heads: CacheHeads): CachedQuestion | undefined {
    const isHead = block.hash === heads.head?.hash
    if (isReported && !isHead) return undefined
    return {
      key: `${method}@${block.hash}${isReported ? '^' : ''}${others}`,
      life: isReported ? lifeOfHead(block) : { of: 'block', hash: block.hash },
      get ask(): RpcRequest {
        return { ...request, params: rawJsonFromValue(paramsAt(block.hash)) }
      },
    }
  }

  if (ref === 'latest') {
    return (request, heads) => heads.head && atBlock(heads.head, request, heads)
  }
  if ('hash' in ref) {
    const { hash } = ref
    const own: CachedQuestion = {
      key: `${method}@${hash}${others}`,
      life: isReported ? { of: 'answer' } : { of: 'block', hash },
    }
    return (request, heads) => (isReported && heads.head?.hash === hash ? atBlock(heads.head, request, heads) : own)
  }
  const { number } = ref
  const final: CachedQuestion = {
    key: `${method}#${number}${others}`,
    life: isReported ? { of: 'answer' } : { of: 'numbers', to: number },
  }
  return (request, heads) => {
    if (heads.finalized !== undefined && number <= heads.finalized) return final
    const hash = heads.hashAt(number)
    return hash === undefined ? undefined : atBlock({ number, hash: canonicalFelt(hash)! }, request, heads)
  }
}

/** `starknet_getEvents`: whole pages of blocks that are final, by their numbers. */
const readEvents: ReadPlan = (params) => {
  const others = othersReader(['filter'], undefined)(params)
  const filter = paramAt(params, 0, 'filter')
  if (others === undefined || typeof filter !== 'object' || filter === null) return undefined
  const { from_block, to_block, continuation_token } = filter as Readonly<Record<string, unknown>>
  const [from, to] = [blockRef(from_block), blockRef(to_block)]
  if (from === undefined || to === undefined || continuation_token !== undefined) return undefined
  if (typeof from === 'string' || typeof to === 'string' || !('number' in from) || !('number' in to)) return undefined
  if (from.number > to.number) return undefined
  const question: CachedQuestion = {
    key: `starknet_getEvents${others}`,
    life: { of: 'numbers', to: to.number },
  }
  return (_request, { finalized }) => (finalized !== undefined && to.number <= finalized ? question : undefined)
}

/** Reads all params but the block, in the order of their places, as one text; undefined where one is missing, or there is another one. */
function othersReader(
  paramNames: readonly string[],
  block: number | undefined,
): (params: Params) => string | undefined {
  const names = paramNames.map((name) => ({ name: name.replace('?', ''), isOptional: name.endsWith('?') }))
  const known = new Set(names.map(({ name }) => name))
  return (params) => {
    if (Array.isArray(params) ? params.length > names.length : Object.keys(params).some((name) => !known.has(name))) {
      return undefined
    }
    let printed = ''
    for (const [i, { name, isOptional }] of names.entries()) {
      if (i === block) continue
      const value = paramAt(params, i, name) ?? undefined
      if (value === undefined && !isOptional) return undefined
      // No flags are the same as none; no addresses are not, where they filter.
      const isDefault = value === undefined || (isOptional && name.endsWith('_flags') && isEmptyList(value))
      printed += `\n${isDefault ? '' : printCanonical(value)}`
    }
    return printed
  }
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function paramAt(params: Params, place: number, name: string): unknown {
  if (Array.isArray(params)) return (params as readonly unknown[])[place]
  return Object.hasOwn(params, name) ? (params as Readonly<Record<string, unknown>>)[name] : undefined
}

function withParam(params: Params, place: number, name: string, value: unknown): Params {
  return Array.isArray(params) ? (params as readonly unknown[]).with(place, value) : { ...params, [name]: value }
}

/** Reads a block id that names one block, or the latest one. The block that is being built, and the last one that L1 has, move by themselves. */
function blockRef(value: unknown): BlockRef | undefined {
  if (value === 'latest') return value
  if (typeof value !== 'object' || value === null) return undefined
  const { block_hash, block_number, ...further } = value as Readonly<Record<string, unknown>>
  if (Object.keys(further).length > 0) return undefined
  if (block_hash === undefined) {
    return Number.isSafeInteger(block_number) && (block_number as number) >= 0
      ? { number: block_number as number }
      : undefined
  }
  const hash = block_number === undefined ? canonicalFelt(block_hash) : undefined
  return hash === undefined ? undefined : { hash }
}

/** Prints a value as all its spellings print: felts without padding, members in the order of their names. */
function printCanonical(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((each) => printCanonical(each)).join()}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([member, each]) => `${JSON.stringify(member)}:${printCanonical(each, member)}`).join()}}`
  }
  // An address of L1 has 20 bytes, and no other form.
  const felt = name === 'from_address' ? undefined : canonicalFelt(value)
  return JSON.stringify(felt ?? value)
}

const settled = /"(?:finality_)?status"\s*:\s*"ACCEPTED_ON_L1"/
const unsettled = /"(?:finality_)?status"\s*:\s*"(?!ACCEPTED_ON_L1")/

/** Reads the block of an answer that tells that L1 has accepted it, without parsing it; undefined: it does not. */
function settledPlaceOf(text: string): Position | undefined {
  if (!settled.test(text) || unsettled.test(text)) return undefined
  const hash = canonicalFelt(/"block_hash"\s*:\s*"(0x[\da-fA-F]{1,64})"/.exec(text)?.[1])
  const number = Number(/"block_number"\s*:\s*(\d{1,16})\b/.exec(text)?.[1])
  return hash === undefined || !Number.isSafeInteger(number) ? undefined : { number, hash }
}
