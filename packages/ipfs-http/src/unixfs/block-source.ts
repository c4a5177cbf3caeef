import type { CID } from 'multiformats/cid'

/** Where blocks are read from. Bytes always match their CID. */
export interface BlockSource {
  /** @throws IpfsError `not_found`, `bad_content` (what is on the disk is not what the CID says) */
  get(cid: CID, signal: AbortSignal): Promise<Uint8Array>
  /** Without fetching anything. */
  has(cid: CID): Promise<boolean>
}

/** What takes blocks that were checked. */
export interface BlockSink {
  put(cid: CID, bytes: Uint8Array): Promise<void>
}
