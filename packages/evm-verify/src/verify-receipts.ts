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
import { hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { bloomOf } from './logs-bloom.ts'
import { judgeLogs } from './receipt-logs.ts'
import { judgeOutcome } from './receipt-outcome.ts'
import { isRoot, receiptPayload } from './receipts-root.ts'
import { isRecord, isSameHex, note, type Refusal, refuse, refuseOther, type Standings } from './refusal.ts'
import { assertMember, depositType } from './transaction-members.ts'
import { transactionType } from './transaction-type.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import type { Verdict } from './verdict.ts'

/** What the receipts of a block were asked for by, and what is known of it. The case of digits carries no meaning. */
export interface ExpectedReceipts {
  /** The root that they are proven against. Default: that of `block`. */
  readonly receiptsRoot?: Hash
  readonly blockHash?: Hash
  readonly blockNumber?: Quantity
  /** Their block, verified before: its transactions tell more of them, and the most where they are not only hashes. */
  readonly block?: Block
}

/** What is known while the receipts of a block are gone through. */
export interface ReceiptsPass {
  /** The standing of what their root, or one another, tell. */
  readonly level: 'proven' | 'consistent'
  /** Whether there is a root that they have. */
  readonly isRooted: boolean
  readonly blockHash: Hash | undefined
  readonly blockNumber: Quantity | undefined
  readonly block: Block | undefined
  readonly fields: Standings
  gasBefore: bigint
  logsBefore: number
}

/**
 * Compares all receipts of a block, as a node answered them, with a root, with one another and with their block's transactions.
 * `proven`: they have the root that was given, and are known as far as it is; `consistent`: none was given. Undefined: there are
 * receipts of an unknown type, or its transactions are. Any value gets a verdict; nothing is thrown.
 */
export function verifyReceipts(receipts: unknown, expected: ExpectedReceipts = {}): Verdict {
  if (!Array.isArray(receipts)) return refuse('', `expected an array of receipts, got ${describeValue(receipts)}`)
  const other = receipts.findIndex((receipt) => !isRecord(receipt))
  if (other >= 0) return refuse(`${other}`, `${other}: expected a receipt, got ${describeValue(receipts[other])}`)
  try {
    // Each member's form is checked where it is read.
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
      if (isOfNobody(receipt)) throw new VerifyError('unsupported', 'from', 'from: nobody sends as the zero address')
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

/** The transactions of the block where they are not only hashes. @throws VerifyError `unsupported` */
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

/** Some networks list their own doings so; no root holds them. */
function isOfNobody({ from, type }: Receipt): boolean {
  return Number(type) !== depositType && /^0x0{40}$/.test(from)
}

function judgePlace(receipt: Receipt, i: number, first: Receipt, pass: ReceiptsPass): Refusal | undefined {
  const { blockHash, blockNumber, block, fields, level } = pass
  const listed = block?.transactions[i]
  const refusal =
    refuseOther('transactionIndex', receipt.transactionIndex, `0x${i.toString(16)}`) ??
    refuseOther('blockHash', receipt.blockHash, blockHash ?? first.blockHash) ??
    refuseOther('blockNumber', receipt.blockNumber, blockNumber ?? first.blockNumber) ??
    (typeof listed === 'string' ? refuseOther('transactionHash', receipt.transactionHash, listed) : undefined)
  if (refusal !== undefined) return refusal
  fields['*.transactionIndex'] = level
  if (blockHash !== undefined) fields['*.blockHash'] = level
  if (blockNumber !== undefined) fields['*.blockNumber'] = level
  if (typeof listed === 'string') fields['*.transactionHash'] = 'consistent'
  return undefined
}

/** Notes what the root covers of a receipt, and the bloom, which follows from its logs. */
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

function nothingKnown(receipts: readonly Receipt[]): Standings {
  const fields: Standings = {}
  for (const receipt of receipts) for (const name of Object.keys(receipt)) note(fields, `*.${name}`, 'unverifiable')
  return fields
}

/** Puts the receipt before what is found of its members. */
function within(i: number, run: () => Refusal | undefined): Refusal | undefined {
  try {
    const refusal = run()
    return refusal && refuse(`${i}.${refusal.field}`, `${i}.${refusal.reason}`)
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    throw new VerifyError(thrown.code, `${i}.${thrown.field}`, `${i}.${thrown.message}`)
  }
}
