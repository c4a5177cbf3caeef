import {
  addressSchema,
  type Block,
  type Hash,
  hashSchema,
  type Quantity,
  quantitySchema,
  type Receipt,
  type Transaction,
} from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { hexFromBytes } from './bytes.ts'
import { errorUnder, VerifyError } from './error.ts'
import { bloomOf } from './logs-bloom.ts'
import { judgeLogs } from './receipt-logs.ts'
import { judgeOutcome } from './receipt-outcome.ts'
import type { ReceiptsPass } from './receipts-pass.ts'
import { isRoot, receiptPayload } from './receipts-root.ts'
import {
  isRecord,
  isSameHex,
  note,
  type Refusal,
  refuse,
  refuseOther,
  refuseUnder,
  type FieldLevels,
} from './refusal.ts'
import { depositType } from './transaction-members.ts'
import { transactionType } from './transaction-type.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import type { Verdict } from './verdict.ts'

/** Facts that the receipts of a block must agree with: from the question, and of the block. The case of digits carries no meaning. */
export interface ExpectedReceipts {
  /** The root to prove them against. Default: that of `block`. */
  readonly receiptsRoot?: Hash
  readonly blockHash?: Hash
  readonly blockNumber?: Quantity
  /** Their verified block. Its transactions determine more members; whole transactions determine most. */
  readonly block?: Block
}

/**
 * Compares a node's receipts of a whole block with a root, with one another and with the block's transactions. `proven`:
 * they have the given root; `consistent`: none was given. Undefined: some receipts or transactions are of an unknown
 * type. Any value gets a verdict; nothing is thrown.
 */
export function verifyReceipts(receipts: unknown, expected: ExpectedReceipts = {}): Verdict {
  if (!Array.isArray(receipts)) return refuse('', `expected an array of receipts, got ${describeValue(receipts)}`)
  const other = receipts.findIndex((receipt) => !isRecord(receipt))
  if (other >= 0) return refuse(`${other}`, `${other}: expected a receipt, got ${describeValue(receipts[other])}`)
  try {
    // The form of each member is checked when it is read.
    return judge(receipts as readonly Receipt[], expected)
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    if (thrown.code !== 'unsupported') return refuse(thrown.field, thrown.message)
    return { ok: undefined, reason: thrown.message, fields: nothingKnown(receipts as readonly Receipt[]) }
  }
}

function judge(receipts: readonly Receipt[], expected: ExpectedReceipts): Verdict {
  const { block } = expected
  const root = expected.receiptsRoot ?? block?.receiptsRoot
  const transactions = transactionsOf(block)
  if (block !== undefined && block.transactions.length !== receipts.length) {
    return refuse('', `expected ${block.transactions.length} receipts, as many as transactions, got ${receipts.length}`)
  }
  const pass: ReceiptsPass = {
    level: root === undefined ? 'consistent' : 'proven',
    isRooted: root !== undefined,
    blockHash: expected.blockHash ?? block?.hash ?? undefined,
    blockNumber: expected.blockNumber ?? block?.number ?? undefined,
    block,
    fields: {},
    gasBefore: 0n,
    logsBefore: 0,
  }
  const payloads: Uint8Array[] = []
  for (const [i, receipt] of receipts.entries()) {
    const refusal = within(i, () => {
      const bloom = bloomOf(receipt.logs, 'logs')
      payloads.push(receiptPayload(receipt, bloom))
      assertPlace(receipt)
      if (transactions === undefined && isOfNobody(receipt))
        throw new VerifyError('unsupported', 'from', 'from: nobody sends as the zero address')
      return (
        refuseOther('logsBloom', receipt.logsBloom, hexFromBytes(bloom)) ??
        judgePlace(receipt, i, receipts[0]!, pass) ??
        judgeOutcome(receipt, transactions?.[i], pass) ??
        judgeLogs(receipt, pass)
      )
    })
    if (refusal !== undefined) return refusal
    noteOwn(receipt, pass)
  }
  const computed = hexFromBytes(orderedRoot(payloads))
  if (root !== undefined && !isSameHex(root, computed)) {
    return refuse('', `the receipts' root is ${computed}, not ${describeValue(root)}`)
  }
  return { ok: true, level: pass.level, fields: { ...nothingKnown(receipts), ...pass.fields } }
}

/** The transactions of the block, undefined if it holds only hashes. @throws VerifyError `unsupported` */
function transactionsOf(block: Block | undefined): readonly Transaction[] | undefined {
  const list = block?.transactions ?? []
  if (!list.every((tx) => typeof tx !== 'string')) return undefined
  for (const tx of list) transactionType(tx)
  return block === undefined ? undefined : list
}

function assertPlace({ blockHash, blockNumber, transactionHash, from }: Receipt): void {
  assertMember(hashSchema, blockHash, 'blockHash')
  assertMember(quantitySchema, blockNumber, 'blockNumber')
  assertMember(hashSchema, transactionHash, 'transactionHash')
  assertMember(addressSchema, from, 'from')
}

/** Some networks list system actions as receipts from the zero address; no root covers them. */
function isOfNobody({ from, type }: Receipt): boolean {
  return Number(type) !== depositType && /^0x0{40}$/.test(from)
}

function judgePlace(receipt: Receipt, i: number, first: Receipt, pass: ReceiptsPass): Refusal | undefined {
  const { blockHash, blockNumber, block, fields, level } = pass
  const listed = block?.transactions[i]
  const refusal =
    refuseOther('transactionIndex', receipt.transactionIndex, `0x${i.toString(16)}`) ??
    refuseOther('blockHash', receipt.blockHash, blockHash ?? first.blockHash!) ??
    refuseOther('blockNumber', receipt.blockNumber, blockNumber ?? first.blockNumber!) ??
    (typeof listed === 'string' ? refuseOther('transactionHash', receipt.transactionHash, listed) : undefined)
  if (refusal !== undefined) return refusal
  fields['*.transactionIndex'] = level
  if (blockHash !== undefined) fields['*.blockHash'] = level
  if (blockNumber !== undefined) fields['*.blockNumber'] = level
  if (typeof listed === 'string') fields['*.transactionHash'] = 'consistent'
  return undefined
}

/** Notes the members that the root covers, and the bloom filter, which follows from the logs. */
function noteOwn(receipt: Receipt, { fields, isRooted, level }: ReceiptsPass): void {
  fields['*.logsBloom'] = level
  if (!isRooted) return
  const covered = ['type', 'cumulativeGasUsed', 'logs', isRoot(receipt.root) ? 'root' : 'status']
  const isVersioned = receipt.depositReceiptVersion != null && Number(receipt.type) === depositType
  if (isVersioned) covered.push('depositNonce', 'depositReceiptVersion')
  for (const name of Object.keys(receipt)) {
    if (covered.includes(name)) note(fields, `*.${name}`, level)
    else if (name.startsWith('deposit')) note(fields, `*.${name}`, 'unverifiable')
  }
}

function nothingKnown(receipts: readonly Receipt[]): FieldLevels {
  const fields: FieldLevels = {}
  for (const receipt of receipts) for (const name of Object.keys(receipt)) note(fields, `*.${name}`, 'unverifiable')
  return fields
}

/** Prefixes refusals and errors with the index of the receipt. */
function within(i: number, run: () => Refusal | undefined): Refusal | undefined {
  try {
    const refusal = run()
    return refusal && refuseUnder(i, refusal)
  } catch (thrown) {
    throw thrown instanceof VerifyError ? errorUnder(i, thrown) : thrown
  }
}
