import type { Hash } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { type Header, headerItems } from './header-members.ts'
import { keccak } from './keccak.ts'
import { encodeRlp } from './rlp.ts'

/** `sha3Uncles` of a block, from the headers of all its uncles in order. @throws VerifyError `malformed` */
export function unclesHash(uncles: readonly Header[]): Hash {
  return hexFromBytes(keccak(encodeRlp(uncles.map(headerItems))))
}
