import { type Block, type Hash, hashSchema, type Quantity } from '@wayleave/evm-types'
import { array, describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { judgeTransactions, type TransactionsFinding } from './block-transactions.ts'
import { judgeWithdrawals, type WithdrawalsFinding } from './block-withdrawals.ts'
import { VerifyError } from './error.ts'
import { headerItems } from './header-members.ts'
import { isRecord, isSameHex, type Refusal, refuse, refuseOther, type FieldLevels } from './refusal.ts'
import { rlpLength, withPrefix } from './rlp.ts'
import { unclesHash } from './uncles-hash.ts'
import type { FieldLevel, Verdict } from './verdict.ts'
import { noteHeader, nothingKnown, refuseHeader } from './verify-header.ts'

/** Facts from the question that a block must agree with. The case of digits carries no meaning. */
export interface ExpectedBlock {
  readonly hash?: Hash
  readonly number?: Quantity
  /** True for whole transactions, false for hashes; absent allows both. */
  readonly fullTransactions?: boolean
}

/**
 * Compares a node's block with its own hash, its contents and the question. `proven`: its header hashes to the expected
 * hash; `consistent`: none was expected, so it hashes to its own. Undefined: the block is pending, or holds transactions
 * of an unknown type; the report then covers its header. Any value gets a verdict; nothing is thrown.
 */
export function verifyBlock(block: unknown, expected: ExpectedBlock = {}): Verdict {
  if (!isRecord(block)) return refuse('', `expected a block, got ${describeValue(block)}`)
  try {
    // The form of each member is checked when it is read.
    return judge(block as unknown as Block, expected)
  } catch (thrown) {
    if (thrown instanceof VerifyError) return refuse(thrown.field, thrown.message)
    throw thrown
  }
}

function judge(block: Block, expected: ExpectedBlock): Verdict {
  if (block.hash == null && expected.hash === undefined && expected.number === undefined) {
    return {
      ok: undefined,
      reason: 'hash: a block without one is pending, and can change',
      fields: nothingKnown(block),
    }
  }
  const level = expected.hash === undefined ? 'consistent' : 'proven'
  const refusal = refuseHeader(block, expected)
  if (refusal !== undefined) return refusal
  const transactions = judgeTransactions(block, level, expected.fullTransactions)
  if ('ok' in transactions) return transactions
  const withdrawals = judgeWithdrawals(block, level)
  if ('ok' in withdrawals) return withdrawals
  const fields: FieldLevels = { ...nothingKnown(block), ...transactions.fields, ...withdrawals.fields }
  noteHeader(block, fields, level)
  const wrong = judgeUncles(block, fields, level) ?? judgeSize(block, transactions, withdrawals, fields, level)
  if (wrong !== undefined) return wrong
  const { unknown } = transactions
  return unknown === undefined ? { ok: true, level, fields } : { ok: undefined, reason: unknown, fields }
}

const noUncles: Hash = unclesHash([])
const hashesSchema = array(hashSchema)

function judgeUncles(block: Block, fields: FieldLevels, level: FieldLevel): Refusal | undefined {
  if (block.uncles == null) return undefined
  assertMember(hashesSchema, block.uncles, 'uncles')
  const isEmpty = isSameHex(block.sha3Uncles, noUncles)
  if (isEmpty !== (block.uncles.length === 0)) {
    return refuse('uncles', `uncles: ${block.uncles.length} do not go with sha3Uncles ${block.sha3Uncles}`)
  }
  if (isEmpty) fields['uncles'] = level
  return undefined
}

function judgeSize(
  block: Block,
  { payloads }: TransactionsFinding,
  withdrawals: WithdrawalsFinding,
  fields: FieldLevels,
  level: FieldLevel,
): Refusal | undefined {
  if (block.size == null || payloads === undefined || !isSameHex(block.sha3Uncles, noUncles)) return undefined
  const inner = rlpLength(headerItems(block)) + lengthOfTransactions(payloads) + rlpLength([])
  const without = `0x${withPrefix(inner).toString(16)}`
  if (withdrawals.payloads === undefined) {
    fields['size'] = level
    return refuseOther('size', block.size, without)
  }
  // Some nodes (anvil) do not count the withdrawals, so either size is genuine and neither is proven.
  if (isSameHex(block.size, without)) return undefined
  const whole = inner + withPrefix(totalLength(withdrawals.payloads))
  return refuseOther('size', block.size, `0x${withPrefix(whole).toString(16)}`)
}

/** Legacy transactions are lists and have no prefix; the others are strings. */
function lengthOfTransactions(payloads: readonly Uint8Array[]): number {
  let length = 0
  for (const payload of payloads) length += payload[0]! >= 0xc0 ? payload.length : withPrefix(payload.length)
  return withPrefix(length)
}

function totalLength(parts: readonly Uint8Array[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}
