import type { Uncle } from '@wayleave/evm-types'
import { headerItems } from './header-members.ts'
import { refuseOther } from './refusal.ts'
import { rlpLength } from './rlp.ts'
import type { Verdict } from './verdict.ts'
import { type ExpectedHeader, verifyHeader } from './verify-header.ts'

/** Facts from the question that an uncle must agree with. Its number is not that of the block which includes it. */
export type ExpectedUncle = ExpectedHeader

/**
 * Compares a node's uncle with its own hash and the question. `proven`: its header hashes to the expected hash;
 * `consistent`: none was expected. Any value gets a verdict; nothing is thrown.
 */
export function verifyUncle(answer: unknown, expected: ExpectedUncle = {}): Verdict {
  const verdict = verifyHeader(answer, expected)
  if (verdict.ok !== true) return verdict
  const uncle = answer as Uncle
  if (uncle.size == null) return verdict
  // Nodes send the size of an empty block with this header.
  const size = rlpLength([headerItems(uncle), [], []])
  const refusal = refuseOther('size', uncle.size, `0x${size.toString(16)}`)
  return refusal ?? { ...verdict, fields: { ...verdict.fields, size: verdict.level } }
}
