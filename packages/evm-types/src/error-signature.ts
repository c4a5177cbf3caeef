import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Hex } from './data.ts'
import { keccak256 } from './keccak.ts'
import type { ErrorSignatures } from './revert.ts'

/**
 * The selector of a custom error: the first 4 bytes of the hash of its canonical signature. Names of parameters, spaces,
 * a leading `error`, and the short forms `uint` and `int` are allowed.
 */
export function errorSelector(signature: string): Hex {
  return keccak256(utf8ToBytes(canonical(signature))).slice(0, 10) as Hex
}

/** Signatures of custom errors, such as `InsufficientBalance(address,uint256)`, by selector, for `decodeRevert`. */
export function errorSelectors(signatures: readonly string[]): ErrorSignatures {
  return Object.fromEntries(signatures.map((signature) => [errorSelector(signature), signature]))
}

function canonical(signature: string): string {
  let before = ''
  return (signature.replace(/^\s*error\s+/, '').match(/[(),]|[^(),]+/g) ?? [])
    .map((token, i) => {
      const after = before
      before = token
      if (/[(),]/.test(token)) return token
      if (after === ')') return /^\s*((?:\[\d*\])*)/.exec(token)?.[1] ?? ''
      const word = token.trim().split(/\s+/)[0] ?? ''
      return i === 0 ? word : word.replace(/^(u?int)(?=$|\[)/, '$1256')
    })
    .join('')
    .replace(/;$/, '')
}
