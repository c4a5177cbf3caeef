import type { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'

/** Most bytes of content. Longer CIDs are no names any more, and CIDs nested in CIDs take for ever to walk. Source: Kubo. */
export const mostIdentityBytes = 128

/** Whether a CID holds the content itself. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}

/** Returns the content that an identity CID holds. @throws IpfsError `bad_content` beyond 128 bytes */
export function identityBytes({ multihash: { digest } }: CID): Uint8Array {
  if (digest.length <= mostIdentityBytes) return digest
  const came = `came one of ${digest.length}: add its content as a block`
  throw new IpfsError('bad_content', `expected an identity CID that holds at most ${mostIdentityBytes} bytes, ${came}`)
}

/** Checks the length of content that is to become an identity CID, in Kubo's words. @throws IpfsError `bad_argument` */
export function requireIdentity(length: number): void {
  if (length <= mostIdentityBytes) return
  const message = `digest too large: identity digest got ${length} bytes, maximum ${mostIdentityBytes}`
  throw new IpfsError('bad_argument', message)
}
