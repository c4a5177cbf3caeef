import {
  dataSchema,
  type Hash,
  hashSchema,
  type Hex,
  type Log,
  logSchema,
  type Quantity,
  quantitySchema,
  type Receipt,
} from '@wayleave/evm-types'
import { array, object } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from '../error.ts'
import { logsBloom } from '../logs-bloom.ts'
import { judgeLogs } from '../receipt-logs.ts'
import { isSameHex, refuseOther, type FieldLevels } from '../refusal.ts'
import type { FieldReport, Verdict } from '../verdict.ts'
import { askedBlock, askedHash } from './asked.ts'
import { beside, type Check, type Checks } from './call.ts'
import type { Evidence } from './evidence.ts'
import type { Judge } from './judge.ts'
import { giveAnchor, malformed, nothingThere, unproven } from './finding.ts'
import { refuseUnlike } from '../refuse-unlike.ts'

/** The members that the check of a lone receipt reads. */
const loneSchema = object<{ blockHash: Hash; blockNumber: Quantity; logs: readonly Log[]; logsBloom: Hex }>(
  'a receipt',
  {
    blockHash: hashSchema,
    blockNumber: quantitySchema,
    logs: array(logSchema),
    logsBloom: dataSchema,
  },
)

const checkBlockReceipts: Check = async ({ ask, params, evidence, judge }) => {
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    const { hash, number } = askedBlock(params[0])
    const expected = { ...(hash && { blockHash: hash }), ...(number && { blockNumber: number }) }
    return { verdict: await judge({ check: 'receipts', answer, expected }), anchor: 'none' }
  }
  const { hash, anchor } = await evidence.block(params[0])
  const [answer, block] = await beside(ask('eth_getBlockReceipts', [hash]), evidence.contents(hash))
  if (block === undefined) return nothingThere
  return { verdict: await judge({ check: 'receipts', answer, expected: { block } }), anchor }
}

const checkReceipt: Check = async ({ ask, params, evidence, judge }) => {
  const answer = await ask()
  if (answer == null) return nothingThere
  const form = malformed(loneSchema, answer)
  if (form !== undefined) return form
  const receipt = answer as Receipt
  const verdict = loneReceipt(receipt, askedHash(params[0]))
  if (evidence === undefined || verdict.ok === false) return { verdict, anchor: 'none' }
  if (!evidence.isAnchored) throw unproven(`a receipt does not prove its block: ${giveAnchor}`)
  const { hash, anchor } = await evidence.block(receipt.blockNumber).catch(async (thrown: unknown) => {
    if (thrown instanceof VerifyError && thrown.code === 'unproven') await assertInOwnBlock(receipt, evidence, judge)
    throw thrown
  })
  const other = refuseOther('blockHash', receipt.blockHash, hash)
  return { verdict: other ?? (await judgeInBlock(receipt, hash, evidence, judge)), anchor }
}

/** Holds a receipt against all those of a block, which are proven by its hash. @throws VerifyError `unproven`, `mismatch` */
async function judgeInBlock(receipt: Receipt, hash: Hash, evidence: Evidence, judge: Judge['judge']): Promise<Verdict> {
  const [block, receipts] = await Promise.all([evidence.contents(hash), evidence.fetch('eth_getBlockReceipts', [hash])])
  const all = await judge({ check: 'receipts', answer: receipts, expected: { block } })
  if (all.ok === undefined) throw unproven(all.reason)
  if (!all.ok) return { ok: false, field: all.field, reason: `eth_getBlockReceipts: ${all.reason}` }
  const listed = (receipts as readonly Receipt[]).find((one) => isSameHex(one.transactionHash, receipt.transactionHash))
  if (listed === undefined) return { ok: false, field: 'transactionHash', reason: `block ${hash} does not hold it` }
  const levels = { ...nothingKnown(receipt), ...ofOne(all.fields) }
  // A node may send members with a lone receipt that it leaves out of the list, and the other way round.
  const refusal = refuseUnlike(receipt, listed, levels)
  return refusal ?? { ok: true, level: 'proven', fields: ownLevels(receipt, levels) }
}

/** Checks of the methods that answer receipts. Source: Spec §4.6, execution-apis. */
export const receiptChecks: Checks = {
  eth_getBlockReceipts: checkBlockReceipts,
  eth_getTransactionReceipt: checkReceipt,
}

/**
 * Without an anchor for the number, holds a receipt against the block that it names itself: nobody can make up what a hash names.
 * @throws VerifyError
 */
async function assertInOwnBlock(receipt: Receipt, evidence: Evidence, judge: Judge['judge']): Promise<void> {
  const { blockHash, blockNumber } = receipt
  const { header } = await evidence.block(blockHash!)
  const other = refuseOther('blockNumber', blockNumber, header.number!)
  const verdict = other ?? (await judgeInBlock(receipt, blockHash!, evidence, judge))
  if (verdict.ok === false) throw new VerifyError('mismatch', verdict.field, verdict.reason)
}

/** Checks a receipt without its block: it can only agree with its own logs and with the question. */
function loneReceipt(receipt: Receipt, asked: Hash): Verdict {
  const levels: FieldLevels = {}
  const first = receipt.logs[0]?.logIndex
  const other =
    refuseOther('transactionHash', receipt.transactionHash, asked) ??
    refuseOther('logsBloom', receipt.logsBloom, logsBloom(receipt.logs)) ??
    judgeLogs(receipt, {
      level: 'consistent',
      isRooted: false,
      blockHash: undefined,
      blockNumber: undefined,
      block: undefined,
      fields: levels,
      gasBefore: 0n,
      logsBefore: first == null ? 0 : Number(first),
    })
  if (other !== undefined) return other
  const known = ofOne({ ...levels, '*.logsBloom': 'consistent', '*.transactionHash': 'consistent' })
  const fields = ownLevels(receipt, known)
  // Only the receipts before it tell the index of its first log.
  if ('logs.*.logIndex' in fields) fields['logs.*.logIndex'] = 'unverifiable'
  return { ok: true, level: 'consistent', fields }
}

/** The report on the receipts of a block, as a report on one of them. */
function ofOne(all: FieldReport): FieldLevels {
  return Object.fromEntries(Object.entries(all).map(([path, level]) => [path.replace(/^\*\.?/, ''), level]))
}

/** Every member as unverifiable, including those of the logs. */
function nothingKnown(receipt: Receipt): FieldLevels {
  const names = [
    ...Object.keys(receipt),
    ...receipt.logs.flatMap((log) => Object.keys(log).map((name) => `logs.*.${name}`)),
  ]
  return Object.fromEntries(names.map((name) => [name, 'unverifiable']))
}

/** The levels of the members that a receipt has. */
function ownLevels(receipt: Receipt, levels: FieldLevels): FieldLevels {
  return Object.fromEntries(Object.keys(nothingKnown(receipt)).map((path) => [path, levels[path] ?? 'unverifiable']))
}
