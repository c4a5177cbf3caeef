import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { blockTagsOf } from '../block-id.ts'
import { isBefore, type StarknetVersion } from '../versions.ts'
import { isMembers, type Members } from './members.ts'
import type { MethodRow } from './methods.ts'
import { type Pair, untranslatable } from './untranslatable.ts'

const invalidParams = -32602

/** Params by their names, whichever way they came; undefined where they are neither an array nor an object. */
export function byName(pair: Pair, row: MethodRow, params: unknown): Members | undefined {
  if (!Array.isArray(params)) return isMembers(params) ? params : undefined
  const own = namesIn(row, pair.caller)
  // More params than the caller's version has: those of a later one.
  const names = params.length > own.length ? row.params : own
  if (params.length > names.length)
    throw untranslatable(pair, `at most ${names.length} params were expected: ${names.join(', ')}`, invalidParams)
  return Object.fromEntries(params.map((value, i) => [names[i]!, value]))
}

/** The params as the endpoint's version has them; the same value where nothing changes. @throws UntranslatableError */
export function adaptParams(pair: Pair, method: string, row: MethodRow, params: unknown): unknown {
  const named = byName(pair, row, params)
  if (named === undefined) return params
  const adapted: Record<string, unknown> = { ...named }
  refuseInitialReads(pair, named)
  if (method === 'starknet_estimateFee') refuseEstimateFlags(pair, named)
  for (const [name, since] of Object.entries(row.firstWith)) {
    if (!isBefore(pair.endpoint, since) || !(name in named)) continue
    if (!isEmpty(named[name]))
      throw untranslatable(
        pair,
        `${name} of ${method} is in ${since} and later, and the node speaks ${pair.endpoint}`,
        -32602,
      )
    delete adapted[name]
  }
  if (method === 'starknet_estimateFee' && pair.caller === '0.5.1') adapted['simulation_flags'] ??= []
  if ('block_id' in named) adapted['block_id'] = adaptBlock(pair, method, named['block_id'], row.finalBlock)
  if (method === 'starknet_getEvents') adapted['filter'] = adaptFilter(pair, named['filter'])
  if (!Array.isArray(params)) return isSame(named, adapted) ? params : adapted
  const ordered = namesIn(row, pair.endpoint).map((name) => adapted[name])
  // Some nodes take no list without its optional params, and their version may have more of them; by name all nodes do.
  if (ordered.includes(undefined)) return params.length === 0 ? params : adapted
  return ordered.length === params.length && ordered.every((value, i) => value === params[i]) ? params : ordered
}

/** The params that a method takes in a version, in order. */
export function namesIn(row: MethodRow, version: StarknetVersion): readonly string[] {
  return row.params.filter((name) => !isBefore(version, row.firstWith[name]!))
}

/**
 * A caller of 0.5.1 who flags the estimate of a transaction of 0.8 or later is a library that speaks a later version: it reads bounds
 * out of the answer, which 0.5.1 does not have. From 0.8 on nodes estimate no other transactions.
 */
function refuseEstimateFlags({ caller, endpoint }: Pair, named: Members): void {
  if (caller !== '0.5.1' || isBefore(endpoint, '0.8') || isEmpty(named['simulation_flags'])) return
  const reason = `simulation_flags of starknet_estimateFee is in 0.6 and later, and the caller speaks ${caller}`
  throw untranslatable({ caller, endpoint }, reason, invalidParams)
}

/** `initial_reads` change the shape of an answer, and only 0.10 has them. */
function refuseInitialReads(pair: Pair, named: Members): void {
  for (const name of ['simulation_flags', 'trace_flags']) {
    const flags = named[name]
    if (Array.isArray(flags) && flags.includes('RETURN_INITIAL_READS'))
      throw untranslatable(pair, `the flag RETURN_INITIAL_READS is in 0.10 only`, invalidParams)
  }
}

/** A block id for the endpoint: the block in the making is `pending` up to 0.8 and `pre_confirmed` from 0.9 on. */
function adaptBlock(pair: Pair, method: string, block: unknown, mustBeFinal = false): unknown {
  if (typeof block !== 'string') return block
  const own = blockTagsOf(pair.caller)
  if (!own.includes(block)) {
    const words = `${own.slice(0, -1).join(', ')} or ${own.at(-1)!}`
    // The node would name its own tags, which the caller cannot say.
    throw untranslatable(
      pair,
      `a block tag of ${pair.caller} is ${words}, and ${describeValue(block)} is none`,
      invalidParams,
    )
  }
  if (blockTagsOf(pair.endpoint).includes(block)) return block
  if (block === 'l1_accepted' || mustBeFinal)
    throw untranslatable(pair, `the block tag ${block} cannot be said in ${method} of ${pair.endpoint}`, invalidParams)
  return block === 'pending' ? 'pre_confirmed' : 'pending'
}

/** The filter of `starknet_getEvents`: 0.10 takes a list of addresses, those before it take one. */
function adaptFilter(pair: Pair, filter: unknown): unknown {
  if (!isMembers(filter)) return filter
  const adapted: Record<string, unknown> = { ...filter }
  for (const name of ['from_block', 'to_block'])
    if (name in filter) adapted[name] = adaptBlock(pair, 'starknet_getEvents', filter[name])
  const { address } = filter
  if (pair.endpoint !== '0.10' && Array.isArray(address)) {
    if (address.length > 1)
      throw untranslatable(
        pair,
        `a node of ${pair.endpoint} takes one address in a filter, and 0.10 many`,
        invalidParams,
      )
    if (address.length === 0) delete adapted['address']
    else adapted['address'] = address[0]
  }
  return isSame(filter, adapted) ? filter : adapted
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isSame(before: Members, after: Members): boolean {
  const names = Object.keys(after)
  return names.length === Object.keys(before).length && names.every((name) => after[name] === before[name])
}
