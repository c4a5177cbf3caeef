import type { CID } from 'multiformats/cid'

/** Whether a CID holds the content itself. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}
