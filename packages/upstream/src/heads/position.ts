/** A block of a chain. */
export interface Position {
  /** Its height: a safe integer. */
  readonly number: number
  /** Its hash, in lower case, as nodes print it. */
  readonly hash: string
}

/** A block with the members of its header that heads are compared by. */
export interface Header extends Position {
  readonly parentHash?: string | undefined
  /** Unix time, seconds. */
  readonly timestamp?: number | undefined
}
