/** A pin of a project. */
export interface PinRecord {
  readonly cid: string
  readonly type: 'recursive' | 'direct'
  readonly name?: string | undefined
  /** Bytes that count against the quota. */
  readonly bytes: bigint
}

/** A block that a pin needs, and that is missing or broken. */
export interface BadBlock {
  readonly cid: string
  /** The pin on the way to which it was met first. */
  readonly pin: string
  /** Ids of the projects that have that pin, at most a hundred. */
  readonly projects: readonly string[]
  readonly reason: string
}

/** A verification of all content that projects pin. */
export interface PinVerification {
  readonly state: 'running' | 'done' | 'failed'
  /** Unix times in ms. */
  readonly startedAt: number
  readonly endedAt?: number | undefined
  /** Blocks that were read, each once, and their bytes. */
  readonly blocks: number
  readonly bytes: number
  /** How many of them are missing or broken, and the first of these. */
  readonly bad: number
  readonly badBlocks: readonly BadBlock[]
  /** Why it failed. */
  readonly failure?: string | undefined
}

/** Verifies the content of all pins, one verification at a time. */
export interface PinVerificationPort {
  /** Begins one, unless one runs. */
  start(): PinVerification
  /** The one that runs, or the last one; undefined: there was none since the start. */
  state(): PinVerification | undefined
}

/** The pins of projects; the ledger of `@wayleave/stores` fits. */
export interface PinPort {
  /** Lists at most `limit` pins of a project, by CID, after `after`. */
  list(
    project: string,
    options: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly PinRecord[]>
}
