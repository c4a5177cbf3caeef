/** A pin as a project holds it. */
export interface Pin {
  /** The CID as its holder wrote it, in the base that is usual for its version: base58btc for 0, base32 for 1. */
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name: string | undefined
  /** Bytes that count against the quota: all blocks below it, or the one block. */
  readonly bytes: bigint
}

/** The use of a project, in bytes. */
export interface IpfsUsage {
  /** The sum over its pins. */
  readonly storedBytes: bigint
  /** Transfers of the month that was asked for. */
  readonly uploadedBytes: bigint
  readonly downloadedBytes: bigint
}

/**
 * Records which project pins which CID (Spec §4.12). A pin is a row of one project; content stays as long as any project has a row.
 * Every method resolves when the change is durable.
 */
export interface PinLedger {
  /**
   * Adds or replaces the project's pin of that CID. Refuses with `quota`, and changes nothing, if the project would hold more
   * than `maxStoredBytes`.
   */
  put(project: string, pin: Pin, options?: { readonly maxStoredBytes?: bigint | undefined }): Promise<'put' | 'quota'>
  /** Finds the project's pin of a CID. */
  get(project: string, cid: string): Promise<Pin | undefined>
  /** Whether any project pins that CID. */
  isPinned(cid: string): Promise<boolean>
  /** Lists the projects that pin that CID, in their order, at most `limit`. */
  holders(cid: string, limit: number): Promise<readonly string[]>
  /** Removes the project's pin. False: there was none. */
  remove(project: string, cid: string): Promise<boolean>
  /** Replaces one pin by another in one step. Undefined: the project did not have the first one. */
  replace(
    project: string,
    from: string,
    to: Pin,
    options?: { readonly keep?: boolean; readonly maxStoredBytes?: bigint | undefined },
  ): Promise<'replaced' | 'quota' | undefined>
  /** Lists the project's pins in the order of their CIDs, after `after`, at most `limit`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Pin[]>
  /** Lists the CIDs that any project pins, each once (recursive if one pin of it is), in their order, after `after`, at most `limit`. */
  roots(options: {
    readonly after?: string | undefined
    readonly limit: number
  }): Promise<readonly { readonly cid: string; readonly recursive: boolean }[]>
  /** Adds to the transfers of the project in `month` (`2026-11`). */
  charge(
    project: string,
    month: string,
    moved: { readonly uploadedBytes?: bigint; readonly downloadedBytes?: bigint },
  ): Promise<void>
  /** Tells the use of the project, with its transfers in `month`. */
  usage(project: string, month: string): Promise<IpfsUsage>
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
