/** A pin of a project. */
export interface PinRecord {
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name?: string | undefined
  /** Bytes that count against the quota. */
  readonly bytes: bigint
}

/** The pins of projects; the ledger of `@wayleave/stores` fits. */
export interface PinPort {
  /** Lists at most `limit` pins of a project, by CID, after `after`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly PinRecord[]>
}
