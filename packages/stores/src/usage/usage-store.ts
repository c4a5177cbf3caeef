/** A dimension of usage, besides its time. */
export type UsageDimension = 'project' | 'key' | 'network' | 'method' | 'status'

/** Usage of one minute, in the shape of `UsageRow` of `metering`. Texts of at most 256 characters. */
export interface UsageRow extends Readonly<Record<UsageDimension, string>> {
  /** Minutes since the Unix epoch. */
  readonly minute: number
  readonly calls: number
  readonly credits: number
}

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

/** Keeps usage by minute, hour and day. */
export interface UsageStore {
  /**
   * Adds usage, with its sums by hour and day, and resolves once it is on the disk. The process numbers its batches upward and adds them
   * in order; one that was added is ignored, so a batch is repeated, with the same rows in the same order, until it is acknowledged. A
   * large batch is several transactions, each of which notes how far it came. @throws StoresError `invalid`.
   */
  add(process: string, seq: number, rows: readonly UsageRow[]): Promise<void>
  /** The last batch of a process that was added in whole or in part; undefined before the first. */
  lastSeq(process: string): Promise<number | undefined>
  query(query: UsageQuery): Promise<readonly UsageSum[]>
  /**
   * Removes periods that started before a Unix time in ms, and processes that added nothing since `processes`: batches of those
   * must not be repeated any more.
   */
  prune(before: {
    readonly minutes?: number
    readonly hours?: number
    readonly days?: number
    readonly processes?: number
  }): Promise<void>
}
