/** One project's pin. */
export interface Pin {
  /** A CID as text. */
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name: string | undefined
  /** Bytes counted against the quota. */
  readonly bytes: bigint
}

/** A project's usage, in bytes. */
export interface PinUsage {
  /** Sum over its pins. */
  readonly storedBytes: bigint
  /** Moved in one month. */
  readonly uploadedBytes: bigint
  readonly downloadedBytes: bigint
}

/** A bound on what a project may pin. */
export interface PinQuota {
  /** The most bytes that the project's pins may add up to. Undefined: no bound. */
  readonly maxStoredBytes?: bigint | undefined
}

/**
 * Knows which project pins which CID, and how much each project has moved. Every method resolves when the change is on the
 * disk. Same shape as `PinLedger` of `ipfs-http`, which is not imported because its content stores would come along.
 */
export interface PinLedger {
  /** Adds or replaces the project's pin of a CID. `quota`: the project would hold too much, and nothing has changed. */
  put(project: string, pin: Pin, options?: PinQuota): Promise<'put' | 'quota'>
  get(project: string, cid: string): Promise<Pin | undefined>
  /** Whether any project pins the CID. */
  isPinned(cid: string): Promise<boolean>
  /** Removes the project's pin. False: there was none. */
  remove(project: string, cid: string): Promise<boolean>
  /** Puts `to`, and removes `from` unless `keep` is set, in one step. undefined: the project did not pin `from`. */
  replace(
    project: string,
    from: string,
    to: Pin,
    options?: PinQuota & { readonly keep?: boolean },
  ): Promise<'replaced' | 'quota' | undefined>
  /** Lists at most `limit` of the project's pins, ordered by CID, starting after `after`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Pin[]>
  /** Lists the CIDs that any project pins, each once and in order; recursive if any project's pin is. */
  roots(options: {
    readonly after?: string | undefined
    readonly limit: number
  }): Promise<readonly { readonly cid: string; readonly recursive: boolean }[]>
  /** Adds to the bytes that the project has moved in `month` (`2026-11`). */
  charge(
    project: string,
    month: string,
    moved: { readonly uploadedBytes?: bigint; readonly downloadedBytes?: bigint },
  ): Promise<void>
  /** Tells what the project stores now, and what it has moved in `month`. */
  usage(project: string, month: string): Promise<PinUsage>
  /**
   * Binds the pins to the store that keeps their blocks, named by `store`. The first call decides for good; each resolves with the name
   * that it chose, so another name means that these pins are not for that store.
   */
  bindStore(store: string): Promise<string>
  /**
   * Leases a CID for `ms` milliseconds, so that several processes may have one backend pin and unpin it. Many may be `pinning` at once; one that
   * is `releasing` is alone. `busy`: a lease of another holder forbids it. `recursive`, `direct`: not to be released, as projects pin it so.
   * A holder's second lease of a CID replaces its first one. Leases that have expired pass to the next holder, who settles what they left.
   */
  lease(
    cid: string,
    holder: string,
    kind: 'pinning' | 'releasing',
    ms: number,
  ): Promise<'leased' | 'busy' | 'recursive' | 'direct'>
  /** Prolongs a lease, if there still is one. */
  renewLease(cid: string, holder: string, ms: number): Promise<void>
  /**
   * Ends a lease. `lost`: it had expired, and another holder has had the CID since. `unpinned`: it has not ended, since it is the only one,
   * and no project pins the CID: its holder has to release it.
   */
  endLease(cid: string, holder: string): Promise<'ended' | 'lost' | 'unpinned'>
  /** Lists CIDs whose holders have let a lease expire, at most `limit`. */
  expiredLeases(limit: number): Promise<readonly string[]>
}
