import type { CID } from 'multiformats/cid'

/** Reads blocks. The bytes always match their CID. */
export interface BlockSource {
  /** @throws IpfsError `not_found`, `bad_content` (the bytes on the disk are not those of the CID) */
  get(cid: CID, signal: AbortSignal): Promise<Uint8Array>
  /** Tells whether a block is here, without fetching anything. */
  has(cid: CID): Promise<boolean>
}

/** Takes blocks whose bytes were checked against their CIDs. */
export interface BlockSink {
  put(cid: CID, bytes: Uint8Array): Promise<void>
}
