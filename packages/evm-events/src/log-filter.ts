/** A filter as logs are matched against it: lower case, an empty set matches anything. */
export interface LogCriteria {
  readonly addresses: ReadonlySet<string>
  /** By position, at most four; a log with fewer topics than positions does not match, as in geth. */
  readonly topics: readonly ReadonlySet<string>[]
}

/** The members of a log that a filter looks at. */
export interface MatchedLog {
  readonly address: string
  readonly topics: readonly string[]
}

/**
 * Reads the filter of a `logs` subscription, of `eth_getLogs` or of `eth_newFilter`, whose addresses and topics have been checked;
 * null and absent match anything. Values that stand twice count once.
 */
export function logCriteriaOf(filter: unknown): LogCriteria {
  const { address, topics } = Object(filter) as { readonly address?: unknown; readonly topics?: unknown }
  return { addresses: valuesOf(address), topics: Array.isArray(topics) ? topics.map(valuesOf) : [] }
}

/** Tells whether a log of lower-case values matches; its block is not looked at. */
export function matchesLog({ address, topics }: MatchedLog, criteria: LogCriteria): boolean {
  if (criteria.topics.length > topics.length) return false
  if (criteria.addresses.size > 0 && !criteria.addresses.has(address)) return false
  return criteria.topics.every((wanted, i) => wanted.size === 0 || wanted.has(topics[i]!))
}

/** A list with null in it matches anything, as in geth. */
function valuesOf(wanted: unknown): ReadonlySet<string> {
  const values: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted]
  const words = values.filter((value) => typeof value === 'string')
  return new Set(words.length < values.length ? [] : words.map((word) => word.toLowerCase()))
}
