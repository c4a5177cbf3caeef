/** A dimension of usage, besides its time. */
export type UsageDimension = 'project' | 'key' | 'network' | 'method' | 'status'

/** The length of a period, by UTC. */
export type UsagePeriod = 'minute' | 'hour' | 'day'

/** A question about usage. */
export interface UsageQuery {
  readonly period: UsagePeriod
  /** Periods that start at or after this Unix time in ms. */
  readonly from: number
  /** Periods that start before it. */
  readonly to: number
  /** Only rows with these values. */
  readonly where?: Readonly<Partial<Record<UsageDimension, string>>>
  /** The dimensions of the sums, in this order; `at` for each period. Empty: one sum. */
  readonly by: readonly (UsageDimension | 'at')[]
  /** The most sums, up to 10,000. */
  readonly limit: number
}

/** A sum of usage, with those members that the query told it apart by. Exact up to 2^53. */
export interface UsageSum extends Readonly<Partial<Record<UsageDimension, string>>> {
  /** The start of its period, Unix time in ms. */
  readonly at?: number
  readonly calls: number
  readonly credits: number
}
