import type { Hash } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { type Header, headerItems } from './header-members.ts'
import { keccak } from './keccak.ts'
import { encodeRlp } from './rlp.ts'

/**
 * The hash of a block or an uncle, computed from its header; ignores `hash` itself. The members present decide the fork,
 * and the hash covers the members of that fork and all earlier ones.
 * @throws VerifyError `malformed` for a member that is missing or has another form.
 */
export function headerHash(header: Header): Hash {
  return hexFromBytes(keccak(encodeRlp(headerItems(header))))
}
