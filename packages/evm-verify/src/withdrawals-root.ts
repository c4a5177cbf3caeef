import { type Hash, type Withdrawal, withdrawalSchema } from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber, hexFromBytes } from './bytes.ts'
import { encodeRlp } from './rlp.ts'
import { orderedRoot } from './trie/ordered-root.ts'

/** `withdrawalsRoot` of a block, from all its withdrawals in order. Source: EIP-4895. @throws VerifyError `malformed` */
export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Hash {
  return hexFromBytes(
    orderedRoot(withdrawals.map((withdrawal, i) => withdrawalPayload(withdrawal, `withdrawals.${i}`))),
  )
}

/** The encoding of a withdrawal in the trie of its block. */
export function withdrawalPayload(withdrawal: Withdrawal, field: string): Uint8Array {
  assertMember(withdrawalSchema, withdrawal, field)
  const { index, validatorIndex, address, amount } = withdrawal
  return encodeRlp([
    bytesFromNumber(index),
    bytesFromNumber(validatorIndex),
    bytesFromHex(address),
    bytesFromNumber(amount),
  ])
}
