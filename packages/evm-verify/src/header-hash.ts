import type { Hash } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { type Header, headerItems } from './header-members.ts'
import { keccak } from './keccak.ts'
import { encodeRlp } from './rlp.ts'

/**
 * The hash that a block or an uncle is known by, from its header; `hash` itself is not looked at. Which members count
 * follows from which are there: those of each fork up to the latest one that brought any.
 * @throws VerifyError `malformed` for a member that is missing or has another form.
 */
export function headerHash(header: Header): Hash {
  return hexFromBytes(keccak(encodeRlp(headerItems(header))))
}
