/** The place from which a subscription goes on. */
export interface ResumeFrom {
  /** The first block to tell. */
  readonly fromBlock?: number
  /** The last block that was told, in lower case; not beside `fromBlock`. */
  readonly fromHash?: string
}
