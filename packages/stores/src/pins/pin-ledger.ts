/** A pin as a project holds it. */
export interface Pin {
  /** A CID as text. */
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name: string | undefined
  /** What it counts against the quota, in bytes. */
  readonly bytes: bigint
}

/** What a project has used, in bytes. */
export interface PinUsage {
  /** Sum over its pins. */
  readonly storedBytes: bigint
  /** Of one month. */
  readonly uploadedBytes: bigint
  readonly downloadedBytes: bigint
}

export interface PinQuota {
  /** Most bytes that the project's pins may sum up to; undefined: no bound. */
  readonly maxStoredBytes?: bigint | undefined
}

/**
 * Which project pins what. The types of `PinLedger` in `ipfs-http`, declared again: its content stores would come along.
 * Every method resolves when the change is on the disk.
 */
export interface PinLedger {
  /** Adds or replaces the project's pin of that CID. `quota`: it would hold too much, and nothing has changed. */
  put(project: string, pin: Pin, options?: PinQuota): Promise<'put' | 'quota'>
  get(project: string, cid: string): Promise<Pin | undefined>
  /** Whether any project pins that CID. */
  isPinned(cid: string): Promise<boolean>
  /** `last`: no project pins the CID any more. undefined: the project did not. */
  remove(project: string, cid: string): Promise<{ readonly last: boolean } | undefined>
  /** Puts `to`, and removes `from` unless it is to be kept, in one step. undefined: `from` was no pin of the project. */
  replace(
    project: string,
    from: string,
    to: Pin,
    options?: PinQuota & { readonly keep?: boolean },
  ): Promise<{ readonly last: boolean } | 'quota' | undefined>
  /** The project's pins in the order of their CIDs, after `after`, at most `limit`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Pin[]>
  /** What any project pins, each CID once, recursive where one project's pin is, in their order. */
  roots(options: {
    readonly after?: string | undefined
    readonly limit: number
  }): Promise<readonly { readonly cid: string; readonly recursive: boolean }[]>
  /** Adds to what the project has moved in `month` (`2026-11`). */
  charge(
    project: string,
    month: string,
    moved: { readonly uploadedBytes?: bigint; readonly downloadedBytes?: bigint },
  ): Promise<void>
  usage(project: string, month: string): Promise<PinUsage>
}
