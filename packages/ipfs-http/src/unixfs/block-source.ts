import type { CID } from 'multiformats/cid'

/** Reads blocks. The bytes always match their CID. */
export interface BlockSource {
  /** @throws IpfsError `not_found`, `bad_content` (the bytes on the disk are not those of the CID) */
  get(cid: CID, signal: AbortSignal): Promise<Uint8Array>
  /** Tells whether a block is here, without fetching anything. */
  has(cid: CID): Promise<boolean>
  /** The length of a block that is certainly here, in bytes; undefined where that is not known without reading it. */
  knownSize?(cid: CID): number | undefined
}

/** Takes blocks whose bytes were checked against their CIDs. */
export interface BlockSink {
  put(cid: CID, bytes: Uint8Array): Promise<void>
}
