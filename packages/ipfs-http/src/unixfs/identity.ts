import type { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'

/** More is no longer a name for content; and CIDs within CIDs within CIDs take for ever to be walked. Source: Kubo. */
const mostBytes = 128

/** Whether a CID holds the content itself. */
export function isIdentity(cid: CID): boolean {
  return cid.multihash.code === 0
}

/** The content that an identity CID holds. @throws IpfsError `bad_content` beyond 128 bytes */
export function identityBytes({ multihash: { digest } }: CID): Uint8Array {
  if (digest.length <= mostBytes) return digest
  const came = `came one of ${digest.length}: add its content as a block`
  throw new IpfsError('bad_content', `expected an identity CID that holds at most ${mostBytes} bytes, ${came}`)
}
