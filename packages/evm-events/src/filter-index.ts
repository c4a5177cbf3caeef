import { RpcError } from '@wayleave/jsonrpc-core'
import { type BloomBits, bloomBits, hasBits, isEmptyBloom } from './bloom.ts'
import { type LogCriteria, type MatchedLog, matchesLog } from './log-filter.ts'

/** Filters of logs, found by what a log holds. */
export interface FilterIndex<T> {
  /** The count of filters. */
  readonly size: number
  /** Adds a filter. Returns a function that removes it. @throws RpcError `overloaded` past the most values of all filters */
  add(criteria: LogCriteria, subscriber: T): () => void
  /** Gives each subscriber whose filter some of the logs match, in the order of its joining, with the places of those logs, ascending. */
  match(logs: readonly MatchedLog[]): readonly (readonly [subscriber: T, logs: readonly number[]])[]
  /** Tells whether a block with this bloom filter can hold a log that some filter matches: false is certain, true is not. */
  mayMatch(bloom: Uint8Array): boolean
  /** All addresses that filters name; undefined where a filter takes any, or they are more than `most`. */
  addresses(most: number): readonly string[] | undefined
}

interface Entry<T> {
  readonly order: number
  /** The filter that a log found for it must match besides. */
  readonly rest: LogCriteria
  readonly subscriber: T
}

/** The filters that wait for one value, or for an address with a topic. */
interface Bucket<T> {
  readonly entries: Set<Entry<T>>
  /** The entries that a block's bloom filter must hold for one of them to match; made when it is first asked for. */
  bits: readonly BloomBits[] | undefined
}

/** A place of a log by whose value filters are found; `pair`: its address with its first topic. */
type Place = 'pair' | 'address' | 0 | 1 | 2 | 3

/** An address and a first topic are indexed together up to so many pairs a filter. */
const mostPairs = 16
const nothing: ReadonlySet<string> = new Set()

/**
 * Creates an index. A filter waits at the one place where the fewest others wait for the same value: a log looks up at most seven
 * values, and is held against the filters found there only. `maxValues`: the most values that all filters may name.
 * `maxBloomed`: with filters listed under more values, any block with logs may match.
 */
export function createFilterIndex<T>(maxValues = 1_000_000, maxBloomed = 2_000): FilterIndex<T> {
  const places = new Map<Place, Map<string, Bucket<T>>>()
  for (const place of ['pair', 'address', 0, 1, 2, 3] as const) places.set(place, new Map())
  /** Filters that no value finds. */
  const anything = new Set<Entry<T>>()
  /** How many filters name each address, and how many take any. */
  const named = new Map<string, number>()
  let unaddressed = 0
  let values = 0
  let size = 0
  let order = 0

  function add(criteria: LogCriteria, subscriber: T): () => void {
    const home = homeOf(criteria)
    const entry: Entry<T> = { order: order++, rest: restOf(criteria, home?.place), subscriber }
    const own = valuesIn(criteria)
    if (values + own > maxValues) {
      throw new RpcError('overloaded', `the filters name more than ${maxValues} values`, { delivery: 'not_sent' })
    }
    size++
    count(criteria, 1)
    if (home === undefined) anything.add(entry)
    else for (const key of home.keys) enter(home.place, key, entry)
    values += own
    let isGone = false
    return () => {
      if (isGone) return
      isGone = true
      size--
      count(criteria, -1)
      if (home === undefined) anything.delete(entry)
      else for (const key of home.keys) leave(home.place, key, entry)
      values -= own
    }
  }

  /** Chooses the place with the fewest filters under its fullest value, and of those the one with the fewest values. */
  function homeOf(criteria: LogCriteria): { readonly place: Place; readonly keys: readonly string[] } | undefined {
    let best: { readonly place: Place; readonly keys: readonly string[]; readonly load: number } | undefined
    for (const [place, buckets] of places) {
      const keys = keysOf(criteria, place)
      if (keys.length === 0) continue
      const load = keys.reduce((most, key) => Math.max(most, buckets.get(key)?.entries.size ?? 0), 0)
      const isBetter = best === undefined || load < best.load || (load === best.load && keys.length < best.keys.length)
      if (isBetter) best = { place, keys, load }
    }
    return best
  }

  function enter(place: Place, key: string, entry: Entry<T>): void {
    const buckets = places.get(place)!
    const bucket = buckets.get(key)
    if (bucket === undefined) buckets.set(key, { entries: new Set([entry]), bits: undefined })
    else bucket.entries.add(entry)
  }

  function leave(place: Place, key: string, entry: Entry<T>): void {
    const buckets = places.get(place)!
    const bucket = buckets.get(key)
    if (bucket?.entries.delete(entry) === true && bucket.entries.size === 0) buckets.delete(key)
  }

  function count({ addresses }: LogCriteria, by: 1 | -1): void {
    if (addresses.size === 0) unaddressed += by
    for (const address of addresses) {
      const now = (named.get(address) ?? 0) + by
      if (now === 0) named.delete(address)
      else named.set(address, now)
    }
  }

  return {
    get size() {
      return size
    },
    add,
    match(logs) {
      const found = new Map<Entry<T>, number[]>()
      for (const [i, log] of logs.entries()) {
        const hold = (entries: Set<Entry<T>> | undefined): void => {
          if (entries === undefined) return
          for (const entry of entries) {
            if (!matchesLog(log, entry.rest)) continue
            const at = found.get(entry)
            if (at === undefined) found.set(entry, [i])
            else at.push(i)
          }
        }
        hold(anything)
        for (const [place, buckets] of places) {
          if (buckets.size === 0) continue
          const key = keyOf(log, place)
          if (key !== undefined) hold(buckets.get(key)?.entries)
        }
      }
      const entries = [...found].toSorted(([one], [other]) => one.order - other.order)
      return entries.map(([{ subscriber }, at]) => [subscriber, at] as const)
    },
    mayMatch(bloom) {
      if (isEmptyBloom(bloom)) return false
      if (anything.size > 0) return true
      let listed = 0
      for (const buckets of places.values()) listed += buckets.size
      if (listed > maxBloomed) return true
      for (const [place, buckets] of places) {
        for (const [key, bucket] of buckets) {
          bucket.bits ??= partsOf(key, place).map(bloomBits)
          if (bucket.bits.every((bits) => hasBits(bloom, bits))) return true
        }
      }
      return false
    },
    addresses: (most) => (unaddressed > 0 || named.size > most ? undefined : [...named.keys()]),
  }
}

/** The values of a filter at a place; none where it takes any, or they would be too many pairs. */
function keysOf({ addresses, topics }: LogCriteria, place: Place): readonly string[] {
  if (place === 'address') return [...addresses]
  if (place !== 'pair') return [...(topics[place] ?? nothing)]
  const kinds = topics[0] ?? nothing
  if (addresses.size * kinds.size > mostPairs) return []
  return [...addresses].flatMap((address) => [...kinds].map((kind) => address + kind))
}

function valuesIn({ addresses, topics }: LogCriteria): number {
  return topics.reduce((sum, wanted) => sum + wanted.size, addresses.size)
}

/** The criteria without those that hold for each log found at a place. */
function restOf({ addresses, topics }: LogCriteria, place: Place | undefined): LogCriteria {
  const isAddressed = place === 'address' || place === 'pair'
  const at = place === 'pair' ? 0 : place
  return {
    addresses: isAddressed ? nothing : addresses,
    topics: topics.map((wanted, i) => (i === at ? nothing : wanted)),
  }
}

function keyOf({ address, topics }: MatchedLog, place: Place): string | undefined {
  if (place === 'address') return address
  if (place !== 'pair') return topics[place]
  const [kind] = topics
  return kind === undefined ? undefined : address + kind
}

function partsOf(key: string, place: Place): readonly string[] {
  return place === 'pair' ? [key.slice(0, 42), key.slice(42)] : [key]
}
