import type { CID } from 'multiformats/cid'
import { isIdentity } from './identity.ts'

/** The unit in which usual file systems give out space, in bytes. */
const diskBlock = 4096

/** The bytes that a block takes on a disk: its length in whole units of 4 KiB, and none for an identity CID, which has no file. */
export function diskBytesOf(cid: CID, length: number): number {
  return isIdentity(cid) ? 0 : Math.max(1, Math.ceil(length / diskBlock)) * diskBlock
}
