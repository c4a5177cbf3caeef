import type { CID } from 'multiformats/cid'

/** Gives memory of exactly this length, which may hold anything. */
export type TakeBytes = (length: number) => Uint8Array

/** Reads blocks. The bytes always match their CID. */
export interface BlockSource {
  /**
   * Reads a block. `take` gives memory for a long one, whose bytes are then the caller's alone.
   * @throws IpfsError `not_found`, `bad_content` (the bytes on the disk are not those of the CID)
   */
  get(cid: CID, signal: AbortSignal, take?: TakeBytes): Promise<Uint8Array>
  /** Tells whether a block is here, without fetching anything. */
  has(cid: CID): Promise<boolean>
  /** The length of a block that is certainly here, in bytes; undefined where that is not known without reading it. */
  knownSize?(cid: CID): number | undefined
}

/** Takes blocks whose bytes were checked against their CIDs. */
export interface BlockSink {
  put(cid: CID, bytes: Uint8Array): Promise<void>
}
