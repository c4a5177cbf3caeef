import { type RawJson, rawJsonFromText, type RpcRequest } from '@wayleave/jsonrpc-core'
import type { AnyMember, AnySchema, MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { CachedQuestion } from '@wayleave/rpc-cache'
import type { Position } from '@wayleave/upstream'
import type { CacheHeads, CacheKind } from './cache-kind.ts'
import { blockRef, hashRef, type HashRef, type NumberRef } from './evm-block-ref.ts'
import { canonicalJson, canonicalOf, canonicalQuantity, hasOneReading } from './evm-canonical.ts'
import { valueOf } from './chain-of.ts'
import { canonicalLogFilter } from './evm-log-filter.ts'
import { placeOf } from './evm-place.ts'
import { isEvmNamed } from './evm-named.ts'
import { hasFailedTrace } from './failed-trace.ts'
import { takeObject } from './evm-pin.ts'
import type { NetworkKind } from './network-kind.ts'
import { pinnedQuestions } from './pinned-question.ts'
import { createMethodPlans } from './method-plans.ts'
import { resultHolds } from './result-holds.ts'
import { elementSpan, withReplaced } from './rewrite-params.ts'

/** A question without the heads of the moment. */
type Plan = (request: RpcRequest, heads: CacheHeads) => CachedQuestion | undefined
type ReadPlan = (args: readonly unknown[]) => Plan | undefined
type Pin = NonNullable<NetworkKind['pin']>
/** The facts of methods, with the schemas of their params. */
type CacheFacts = Readonly<Record<string, MethodFacts[string] & { readonly params: AnySchema }>>

/** Methods whose nodes do not agree on the block of a call that names none: some take the pending one. */
const explicitOnly = new Set(['eth_estimateGas', 'eth_createAccessList'])
/** Longest params that are looked at, in bytes, and longest that are remembered. */
const longestParams = 65_536
const longestRemembered = 1_024
const mostRemembered = 2_048

/** Creates the names of the questions of EVM nodes, by the facts of their methods. `pin`: has a call ask at one block in place of the latest. */
export function evmCache(facts: CacheFacts, pin: Pin): CacheKind {
  const readers = new Map<string, ReadPlan>()
  for (const method of Object.keys(facts)) {
    const read = readerOf(method, facts, pin)
    if (read !== undefined) readers.set(method, read)
  }
  const plans = createMethodPlans<Plan>(mostRemembered)

  function planOf(request: RpcRequest, read: ReadPlan): Plan | undefined {
    const { method, params } = request
    if (params !== undefined && params.byteLength > longestParams) return undefined
    const text = params?.text() ?? ''
    const isShort = text.length <= longestRemembered
    const known = isShort ? plans.get(method, text) : undefined
    if (known !== undefined) return known ?? undefined
    const args = params === undefined ? [] : params.value()
    const isClear = Array.isArray(args) && (params === undefined || hasOneReading(text, args))
    const plan = isClear ? read(args) : undefined
    if (isShort) plans.set(method, text, plan ?? null)
    return plan
  }

  return {
    answerAt({ method, params }, head) {
      if (method !== 'eth_blockNumber' || (params !== undefined && params.text() !== '[]')) return undefined
      return { result: rawJsonFromText(`"0x${head.number.toString(16)}"`) }
    },
    classify(request, heads) {
      const read = readers.get(request.method)
      if (read === undefined || request.notification) return undefined
      try {
        return planOf(request, read)?.(request, heads)
      } catch {
        // Params that are no JSON are the node's to refuse.
        return undefined
      }
    },
    // The others are not looked at: they may be long.
    positionOf: (request, result) => (facts[request.method]?.cache === 'result' ? placeOf(request, result) : undefined),
    isEmpty: (result) => result.byteLength <= 4 && /^\s*(?:\[\]|"0x"|"")\s*$/.test(result.text()),
    isUnsound({ method }, result) {
      if (result.byteLength === 4 && result.text() === 'null') return true
      if (method.startsWith('eth_get')) return resultHolds(result, '"l1BatchNumber":null')
      return method.startsWith('debug_traceBlock') && hasFailedTrace(result.text())
    },
    isNamed: isEvmNamed,
    blockAt: (height) => ({
      method: 'eth_getBlockByNumber',
      params: rawJsonFromText(`["0x${height.toString(16)}",false]`),
      notification: false,
    }),
    hashIn(response) {
      const block = valueOf(response)
      const hash = (Object(block) as { readonly hash?: unknown }).hash
      return block === null ? null : typeof hash === 'string' ? hash.toLowerCase() : undefined
    },
    resets: (method) => /^(?:anvil|hardhat|evm|ganache|miner)_|^tenderly_(?:add|set)|^debug_setHead$/.test(method),
  }
}

/** Makes the reader of a method's params; undefined: it has no answer that may be kept. */
function readerOf(method: string, facts: CacheFacts, pin: Pin): ReadPlan | undefined {
  const { effect, cache, blockParam, paramNames = [], params } = facts[method]!
  if (effect !== 'read' || cache === undefined) return undefined
  if (cache === 'range') return method === 'trace_filter' ? readTraceFilter : logsReader(pin)
  if (params.parts?.kind !== 'tuple') throw new TypeError(`${method}: params that are kept apart are a tuple`)
  const block = blockParam ?? (paramNames[0] === 'blockHash' ? 0 : undefined)
  const readOthers = othersReader(params.parts.items, block)
  if (block === undefined) {
    return (args) => {
      const others = readOthers(args)
      return others === undefined ? undefined : blocklessPlan(method, cache, others)
    }
  }
  const twin = method.replace('Number', 'Hash')
  const hasTwin = twin !== method && Object.hasOwn(facts, twin)
  const byHash = hasTwin ? twin : takeObject.has(method) || method === 'eth_getBlockReceipts' ? method : undefined
  const isOptional = paramNames[block]!.endsWith('?') && !explicitOnly.has(method)
  return (args) => {
    const others = readOthers(args)
    const ref = blockParam === undefined ? hashRef(args[block]) : blockRef(args[block], isOptional)
    if (others === undefined || ref === undefined) return undefined
    if ('hash' in ref) {
      // Methods that take numbers alone refuse a hash; and nobody here knows whether a block by its hash is still on the chain.
      const takesHash = !ref.isCanonical && (blockParam === undefined || (byHash === method && !hasTwin))
      const named = byBlockHash(method, ref, others)
      return takesHash ? () => named : undefined
    }
    if ('latest' in ref) return latestPlan(method, byHash, others, pin)
    const paramsAt = (asked: RpcRequest, by: string): RawJson =>
      withReplaced(asked, [{ ...elementSpan(asked.params!.text(), block), by: `"${by}"` }]).params!
    return numberPlan({ method, byHash, others, ref, paramsAt, pin })
  }
}

/** Reads all params but the block, as one text; undefined where one is not well formed. */
function othersReader(
  members: readonly AnyMember[],
  block: number | undefined,
): (args: readonly unknown[]) => string | undefined {
  const params = members.map((member) => {
    const isOptional = 'optional' in member
    return { isOptional, canonical: canonicalOf(isOptional ? member.optional : member) }
  })
  return (args) => {
    if (args.length > params.length) return undefined
    let printed = ''
    for (let i = 0; i < params.length; i++) {
      if (i === block) continue
      const { isOptional, canonical } = params[i]!
      const isAbsent = i >= args.length || args[i] === null
      if (isAbsent && !isOptional) return undefined
      const text = isAbsent ? '' : canonical(args[i])
      if (text === undefined) return undefined
      printed += `\n${text}`
    }
    return printed
  }
}

/** Names a question at a block by its hash. */
function byBlockHash(method: string, { hash }: Pick<HashRef, 'hash'>, others: string): CachedQuestion {
  return { key: `${method}@${hash}${others}`, life: { of: 'block', hash } }
}

function blocklessPlan(method: string, cache: NonNullable<MethodFacts[string]['cache']>, others: string): Plan {
  const key = `${method}${others}`
  if (cache === 'fixed' || cache === 'result') {
    const named: CachedQuestion = { key, life: { of: cache === 'fixed' ? 'params' : 'answer' } }
    return () => named
  }
  // The served head answers `eth_blockNumber`, and no node's.
  if (cache !== 'head' || method === 'eth_blockNumber') return () => undefined
  return (_request, { head }) => head && atHead(key, head)
}

/** A question whose answer holds as long as a head, by nodes that have it for their own. */
function atHead(key: string, { number, hash }: Position): CachedQuestion {
  return { key: `${key}^${hash}`, life: { of: 'head', at: { height: number, hash } } }
}

/** A question at the latest block: asked by the hash of the served head where nodes take one, else by its number. */
function latestPlan(method: string, byHash: string | undefined, others: string, pin: Pin): Plan {
  const nameAt = (head: Position): CachedQuestion =>
    byHash === undefined ? atHead(`${method}${others}`, head) : byBlockHash(byHash, head, others)
  const at = pinnedQuestions({ nameAt, pin })
  return (request, { head }) => head && at(request, head)
}

interface NumberPlanOptions {
  readonly method: string
  /** The method that asks the same by the block's hash. Default: there is none. */
  readonly byHash: string | undefined
  readonly others: string
  readonly ref: NumberRef
  /** The params of a call with another block in their place. */
  readonly paramsAt: (request: RpcRequest, block: string) => RawJson
  readonly pin: Pin
}

/** A question at a block by its number: as it came where that is final, else by the hash that the served chain has there. */
function numberPlan({ method, byHash, others, ref, paramsAt, pin }: NumberPlanOptions): Plan {
  const { number, isEarliest } = ref
  const life: CachedQuestion['life'] = { of: 'numbers', to: number }
  const final: CachedQuestion = { key: `${method}#${number}${others}`, life }
  const at =
    byHash === undefined
      ? undefined
      : pinnedQuestions({
          nameAt: (block) => byBlockHash(byHash, block, others),
          pin,
          atLatest: (request) => ({ ...request, params: paramsAt(request, 'latest') }),
        })
  return (request, heads) => {
    if (heads.finalized !== undefined && number <= heads.finalized) {
      // Nodes that have pruned their history mean another block by `earliest`.
      return isEarliest ? { ...final, ask: { ...request, params: paramsAt(request, '0x0') } } : final
    }
    if (at === undefined) {
      const { head } = heads
      return head?.number === number ? atHead(method + others, head) : undefined
    }
    const hash = heads.hashAt(number)
    return hash === undefined ? undefined : at(request, { number, hash })
  }
}

/** `eth_getLogs`: of final and settled blocks by their numbers, of one block by its hash. */
function logsReader(pin: Pin): ReadPlan {
  return (args) => {
    const filter = args.length === 1 ? canonicalLogFilter(args[0]) : undefined
    if (filter === undefined) return undefined
    const { match, blockHash, from, to } = filter
    const others = `\n${match}`
    const nameAt = (block: Pick<Position, 'hash'>): CachedQuestion => byBlockHash('eth_getLogs', block, others)
    if (blockHash !== undefined) {
      const named = nameAt({ hash: blockHash })
      return () => named
    }
    if (from === 'latest' || to === 'latest') {
      if (from !== to) return undefined
      const at = pinnedQuestions({ nameAt, pin })
      return (asked, { head }) => head && at(asked, head)
    }
    if (from > to) return undefined
    const key = `eth_getLogs#${from}-${to}\n${match}`
    const { fromBlock: _from, toBlock: _to, ...rest } = args[0] as Readonly<Record<string, unknown>>
    const latest = rawJsonFromText(JSON.stringify([rest]))
    const at = pinnedQuestions({ nameAt, pin, atLatest: (asked) => ({ ...asked, params: latest }) })
    const life: CachedQuestion['life'] = { of: 'numbers', to }
    const final: CachedQuestion = { key, life }
    // Names of their own, so that none becomes final with its blocks: they are asked once more then.
    const settled: CachedQuestion = { key: `${key}\nsettled`, life }
    return (asked, heads) => {
      if (heads.finalized !== undefined && to <= heads.finalized) return final
      if (from < to) return heads.settled !== undefined && to <= heads.settled ? settled : undefined
      const hash = heads.hashAt(to)
      return hash === undefined ? undefined : at(asked, { number: to, hash })
    }
  }
}

/** `trace_filter`: of final blocks by their numbers. Nodes that have pruned their history mean another block where no first one is named. */
const readTraceFilter: ReadPlan = ([filter, ...further]) => {
  if (typeof filter !== 'object' || filter === null || further.length > 0) return undefined
  const { fromBlock, toBlock, ...search } = filter as Readonly<Record<string, unknown>>
  const [from, to] = [Number(canonicalQuantity(fromBlock)), Number(canonicalQuantity(toBlock))]
  const match = canonicalJson(search)
  if (match === undefined || !Number.isSafeInteger(to) || !(from <= to)) return undefined
  const final: CachedQuestion = { key: `trace_filter#${from}-${to}\n${match}`, life: { of: 'numbers', to } }
  return (_request, { finalized }) => (finalized !== undefined && to <= finalized ? final : undefined)
}
