import type { Block, Withdrawal } from '@wayleave/evm-types'
import { bytesFromHex, hexFromBytes } from './bytes.ts'
import { isSameHex, note, type Refusal, refuse, type FieldLevels } from './refusal.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import { emptyRoot } from './trie/verify-proof.ts'
import type { FieldLevel } from './verdict.ts'
import { withdrawalPayload } from './withdrawals-root.ts'

/** The result of checking the withdrawals of a block. */
export interface WithdrawalsFinding {
  readonly fields: FieldLevels
  /** Their bytes in the block; undefined if it has no such list. */
  readonly payloads?: readonly Uint8Array[]
}

const members = new Set(['index', 'validatorIndex', 'address', 'amount'])

/** Compares a block's withdrawals with the root in its header. Null and absent mean none. @throws VerifyError `malformed` */
export function judgeWithdrawals(block: Block, level: FieldLevel): Refusal | WithdrawalsFinding {
  const list: unknown = block.withdrawals ?? []
  if (!Array.isArray(list)) return refuse('withdrawals', 'withdrawals: expected an array')
  // Array.from() does not skip holes, unlike map().
  const payloads = Array.from(list, (withdrawal, i) => withdrawalPayload(withdrawal as Withdrawal, `withdrawals.${i}`))
  const root = hexFromBytes(orderedRoot(payloads))
  const isCommitted = block.withdrawalsRoot != null
  const fields: FieldLevels = {}
  if (!isSameHex(block.withdrawalsRoot ?? emptyRoot, root)) {
    // On an OP-stack network the root is that of a contract's storage, and no block has withdrawals.
    if (list.length > 0 || !isOfOpStack(block)) {
      const claimed = block.withdrawalsRoot ?? 'none'
      return refuse('withdrawals', `withdrawals: their root is ${root}, and the header says ${claimed}`)
    }
  }
  if (block.withdrawals !== undefined) fields['withdrawals'] = isOfOpStack(block) ? 'unverifiable' : level
  for (const withdrawal of list) {
    for (const name of Object.keys(withdrawal as object)) {
      note(fields, `withdrawals.*.${name}`, members.has(name) ? level : 'unverifiable')
    }
  }
  return isCommitted ? { fields, payloads } : { fields }
}

function isOfOpStack({ extraData, withdrawalsRoot }: Block): boolean {
  return withdrawalsRoot != null && isFeeParameters(bytesFromHex(extraData))
}

/**
 * Whether a header's extra data is the fee parameters of an OP-stack network, as it is there since Holocene.
 * Source: OP Stack specification, Holocene, Jovian.
 */
export function isFeeParameters(extraData: Uint8Array): boolean {
  return (extraData.length === 9 && extraData[0] === 0) || (extraData.length === 17 && extraData[0] === 1)
}
