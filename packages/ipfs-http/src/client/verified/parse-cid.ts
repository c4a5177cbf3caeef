import { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'

/** Parses a CID of a host. @throws IpfsError `invalid_response` */
export function parseCid(text: string): CID {
  try {
    return CID.parse(text)
  } catch (cause) {
    throw new IpfsError('invalid_response', 'expected a CID in base58btc or base32', { cause })
  }
}
