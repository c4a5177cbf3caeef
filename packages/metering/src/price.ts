import { defaultEventPrices, defaultPrice, defaultPrices } from './default-prices.ts'
import { wholeNumber } from './error.ts'

/** Credits by method: a name, a prefix such as `debug_*`, or `*` for all others. */
export type PriceOverrides = Readonly<Record<string, number>>

export interface PricesOptions {
  /** An operator's prices by the kind of network (`evm`, `rollup`, `starknet`, `gas`, `ipfs`). */
  readonly overrides?: Readonly<Record<string, PriceOverrides>> | undefined
  /** An operator's prices of pushed events by the kind of subscription. */
  readonly events?: Readonly<Record<string, number>> | undefined
}

/** The credits of calls and events. */
export interface Prices {
  /** Credits that are debited on admission. */
  priceOf(kind: string, method: string): number
  /** Credits of one pushed event; 80 for a kind of subscription without a price. */
  eventPriceOf(subscription: string): number
}

/**
 * Makes the prices of calls. The first that has the method decides: the operator's prices of the network's kind, the default ones
 * of that kind, the operator's of `evm`, the default ones of `evm`, 80. In one table a name goes before the longest prefix.
 * @throws MeteringError `invalid_price` for a price that is not a whole number from 0 up
 */
export function createPrices({ overrides = {}, events = {} }: PricesOptions = {}): Prices {
  const evm = [readTable('prices.evm', overrides['evm'] ?? {}), readTable('', defaultPrices['evm']!)]
  const kinds = new Map<string, readonly Table[]>()
  for (const kind of new Set([...Object.keys(overrides), ...Object.keys(defaultPrices)])) {
    if (kind === 'evm') continue
    const own = readTable(`prices.${kind}`, overrides[kind] ?? {})
    kinds.set(kind, [own, readTable('', defaultPrices[kind] ?? {}), ...evm])
  }
  kinds.set('evm', evm)
  const merged = new Map([...kinds].map(([kind, tables]) => [kind, flatten(tables)]))
  const others = flatten(evm)
  const eventPrices = new Map(Object.entries(defaultEventPrices))
  for (const [name, price] of Object.entries(events)) {
    eventPrices.set(name, wholeNumber('invalid_price', `prices of events.${name}`, price, { most: dearest }))
  }
  return {
    priceOf(kind, method) {
      const { exact, tables } = merged.get(kind) ?? others
      return exact.get(method) ?? byPrefix(tables, method)
    },
    eventPriceOf: (subscription) => eventPrices.get(subscription) ?? defaultPrice,
  }
}

/**
 * Returns what a call costs in the end, by the HTTP status of its answer: nothing for 402, 429 and 5xx, at most 5 credits for
 * other 4xx, else its price. A caller who left (499) pays the price: the work was asked for.
 */
export function settledPrice(price: number, status: number): number {
  if (status < 400 || status === 499) return price
  if (status === 402 || status === 429 || status >= 500) return 0
  return Math.min(price, errorPrice)
}

const errorPrice = 5
const dearest = 1e9

interface Table {
  readonly exact: ReadonlyMap<string, number>
  /** Prefixes, the longest first. */
  readonly prefixes: readonly (readonly [prefix: string, price: number])[]
}

function readTable(path: string, table: PriceOverrides): Table {
  const exact = new Map<string, number>()
  const prefixes: (readonly [string, number])[] = []
  for (const [name, price] of Object.entries(table)) {
    wholeNumber('invalid_price', `${path}['${name}']`, price, { most: dearest })
    if (name.endsWith('*')) prefixes.push([name.slice(0, -1), price])
    else exact.set(name, price)
  }
  return { exact, prefixes: prefixes.toSorted(([a], [b]) => b.length - a.length) }
}

/** Joins the exact prices of tables, so that a call costs one look-up; the prefixes of an earlier table go before them. */
function flatten(tables: readonly Table[]): { readonly exact: Map<string, number>; readonly tables: readonly Table[] } {
  const exact = new Map<string, number>()
  for (const name of tables.flatMap((table) => [...table.exact.keys()])) exact.set(name, search(tables, name))
  return { exact, tables }
}

function search(tables: readonly Table[], method: string): number {
  for (const { exact, prefixes } of tables) {
    const price = exact.get(method) ?? prefixes.find(([prefix]) => method.startsWith(prefix))?.[1]
    if (price !== undefined) return price
  }
  return defaultPrice
}

function byPrefix(tables: readonly Table[], method: string): number {
  for (const { prefixes } of tables) {
    for (const [prefix, price] of prefixes) if (method.startsWith(prefix)) return price
  }
  return defaultPrice
}
