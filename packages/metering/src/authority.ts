/** A bucket that several processes share. */
export interface LimitGrant {
  /** Credits that were debited: at most what was wanted. Below 0: those that were taken back. */
  readonly granted: number
  /** Credits that are left in the bucket after that. */
  readonly remaining: number
  /** Names the memory that a bucket without inflow is in: another one once the authority has lost it. Told to whoever tells {@link KnownSpent}. */
  readonly epoch?: string | undefined
}

/** The credits of a bucket without inflow that were spent before a question, as far as its asker knows: an authority that lost its memory counts on. */
export interface KnownSpent {
  readonly credits: number
  /** That of the last answer; '' if there was none, and the credits are those that a store of usage had when the process began. */
  readonly epoch: string
}

/**
 * Keeps the buckets that several processes share, by its own clock. It may be this process' memory, another process, or Redis.
 */
export interface LimitAuthority {
  /**
   * Debits up to `want` whole credits from the bucket `id`: as many as it has, in one step. With 0 it only tells what is left. Below 0, a
   * bucket without inflow takes credits back that were debited and not used.
   *
   * @param id names the bucket. Quotas have a bucket for each period, named in the id.
   * @param perSecond credits that flow in each second. 0: none ever do, and the bucket is kept for `keepMs`.
   * @param burst credits that the bucket holds; a new one is full.
   * @param token names the question. Asked again under it, the authority debits nothing, and tells what it granted before and what is
   * left by now.
   * @param known of a bucket without inflow, what was spent before.
   * @param undivided the part of `want`, last in turn, that is debited whole or not at all. Default 0.
   * @param keepMs how long a bucket without inflow is kept from here on: to the end of its period, and a margin. Default 32 days.
   */
  take(
    id: string,
    perSecond: number,
    burst: number,
    want: number,
    token: string,
    known?: KnownSpent,
    undivided?: number,
    keepMs?: number,
  ): LimitGrant | Promise<LimitGrant>
}
