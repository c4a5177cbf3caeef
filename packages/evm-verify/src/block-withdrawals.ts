import type { Block, Withdrawal } from '@wayleave/evm-types'
import { emptyRoot } from './block-transactions.ts'
import { bytesFromHex, hexFromBytes } from './bytes.ts'
import { isSameHex, note, type Refusal, refuse, type Standings } from './refusal.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import type { FieldStanding } from './verdict.ts'
import { withdrawalPayload } from './withdrawals-root.ts'

/** What was found of the withdrawals of a block. */
export interface WithdrawalsFinding {
  readonly fields: Standings
  /** Their bytes in the block; undefined where it has no such list. */
  readonly payloads?: readonly Uint8Array[]
}

const members = new Set(['index', 'validatorIndex', 'address', 'amount'])

/** Compares a block's withdrawals with the root in its header. Null and absent are no withdrawals. @throws VerifyError `malformed` */
export function judgeWithdrawals(block: Block, level: FieldStanding): Refusal | WithdrawalsFinding {
  const list: unknown = block.withdrawals ?? []
  if (!Array.isArray(list)) return refuse('withdrawals', 'withdrawals: expected an array')
  // Unlike map(), it does not skip holes.
  const payloads = Array.from(list, (withdrawal, i) => withdrawalPayload(withdrawal as Withdrawal, `withdrawals.${i}`))
  const root = hexFromBytes(orderedRoot(payloads))
  const isCommitted = block.withdrawalsRoot != null
  const fields: Standings = {}
  if (!isSameHex(block.withdrawalsRoot ?? emptyRoot, root)) {
    // There, the root is that of a contract's storage, and no block has withdrawals.
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
 * Whether a header's extra data is the fee parameters of an OP-stack network, which it is since Holocene.
 * Source: OP Stack specification, Holocene, Jovian.
 */
export function isFeeParameters(extraData: Uint8Array): boolean {
  return (extraData.length === 9 && extraData[0] === 0) || (extraData.length === 17 && extraData[0] === 1)
}
