/** A pin as a project holds it. */
export interface Pin {
  /** The CID as its holder wrote it, in the base that is usual for its version: base58btc for 0, base32 for 1. */
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name: string | undefined
  /** What it counts against the quota, in bytes: the blocks below it, or the one block. */
  readonly bytes: bigint
}

/** What a project has used. */
export interface IpfsUsage {
  /** Sum over its pins. */
  readonly storedBytes: bigint
  /** Of the month that was asked for. */
  readonly uploadedBytes: bigint
  readonly downloadedBytes: bigint
}

/**
 * Which project pins what (Spec §4.12). A pin is a row of one project; content stays as long as any project has a row.
 * Every method resolves when the change is durable.
 */
export interface PinLedger {
  /** Adds or replaces the project's pin of that CID; refuses, and changes nothing, where the project would hold more than `maxStoredBytes`. */
  put(project: string, pin: Pin, options?: { readonly maxStoredBytes?: bigint | undefined }): Promise<'put' | 'quota'>
  /** The project's pin of a CID. */
  get(project: string, cid: string): Promise<Pin | undefined>
  /** Whether any project pins that CID. */
  isPinned(cid: string): Promise<boolean>
  /** Removes the project's pin. `last`: no project pins the CID any more. undefined: there was none. */
  remove(project: string, cid: string): Promise<{ readonly last: boolean } | undefined>
  /** Replaces one pin by another in one step. undefined: the first was none of the project's. */
  replace(
    project: string,
    from: string,
    to: Pin,
    options?: { readonly keep?: boolean; readonly maxStoredBytes?: bigint | undefined },
  ): Promise<{ readonly last: boolean } | 'quota' | undefined>
  /** The project's pins in the order of their CIDs, after `after`, at most `limit`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly Pin[]>
  /** What any project pins, each CID once (recursive where one project's pin is), in their order, after `after`, at most `limit`. */
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
  usage(project: string, month: string): Promise<IpfsUsage>
}
