import { canonicalHash, canonicalQuantity } from './evm-canonical.ts'

/** A filter of `eth_getLogs` as all its spellings read. */
export interface CanonicalLogFilter {
  /** The addresses and topics, in print. */
  readonly match: string
  readonly blockHash: string | undefined
  readonly from: number | 'latest'
  readonly to: number | 'latest'
}

/** Reads a filter; undefined where nodes may read it in more than one way, or as of the moment. */
export function canonicalLogFilter(value: unknown): CanonicalLogFilter | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { address, topics, fromBlock, toBlock, blockHash, ...further } = value as Readonly<Record<string, unknown>>
  if (Object.keys(further).length > 0) return undefined
  const places = Array.isArray(topics) ? topics : isAbsent(topics) ? [] : undefined
  const addresses = isAbsent(address) ? '' : oneOf(address, 42)
  const matches = places?.map((topic) => (isAbsent(topic) ? '' : oneOf(topic, 66)))
  if (addresses === undefined || matches === undefined || matches.includes(undefined)) return undefined
  // Places at the end that take anything are kept: some nodes want a log to have so many topics.
  const match = `${addresses} ${matches.map((each) => `(${each})`).join('')}`
  if (isAbsent(blockHash)) {
    const from = endOf(fromBlock)
    const to = endOf(toBlock)
    return from === undefined || to === undefined ? undefined : { match, blockHash: undefined, from, to }
  }
  const hash = canonicalHash(blockHash)
  if (hash === undefined || !isAbsent(fromBlock) || !isAbsent(toBlock)) return undefined
  return { match, blockHash: hash, from: 'latest', to: 'latest' }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

/** Reads one value in hex of a length, or several in any order; undefined for an empty list, which nodes read in two ways. */
function oneOf(value: unknown, length: number): string | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) return undefined
  const found = new Set<string>()
  for (const each of list) {
    if (typeof each !== 'string' || each.length !== length || !/^0x[\da-f]+$/i.test(each)) return undefined
    found.add(each.toLowerCase())
  }
  return [...found].toSorted().join()
}

/** `earliest`, `safe` and `finalized` are another block at each node. */
function endOf(block: unknown): number | 'latest' | undefined {
  if (isAbsent(block) || block === 'latest') return 'latest'
  const number = Number(canonicalQuantity(block))
  return Number.isSafeInteger(number) ? number : undefined
}
