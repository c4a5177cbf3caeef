import { type Block, type Hash, hashSchema, type Quantity, quantitySchema, type Transaction } from '@wayleave/evm-types'
import { describeValue, object } from '@wayleave/jsonrpc-core/schema'
import { contradictionOf } from '../contradiction.ts'
import { VerifyError } from '../error.ts'
import { isSameHex, refuseOther } from '../refusal.ts'
import type { FieldReport } from '../verdict.ts'
import { type ExpectedTransaction, verifyTransaction } from '../verify-transaction.ts'
import { askedBlock, askedHash, askedIndex } from './asked.ts'
import type { Call, Check, Checks } from './call.ts'
import type { Evidence, KnownHeader } from './evidence.ts'
import { type Finding, malformed, nothingThere, proven, withLevel, wrong } from './finding.ts'

const placeSchema = object<{ blockHash: Hash; blockNumber: Quantity; transactionIndex: Quantity }>('a place', {
  blockHash: hashSchema,
  blockNumber: quantitySchema,
  transactionIndex: quantitySchema,
})
const place = ['blockHash', 'blockNumber', 'blockTimestamp', 'transactionIndex']

const checkTransactionByHash: Check = async (call) => {
  const answer = await call.ask()
  if (answer == null) return nothingThere
  const expected = askedTransaction(call.method, call.params)
  const verdict = await call.judge({ check: 'transaction', answer, expected })
  const finding: Finding = { verdict, anchor: verdict.ok === true ? 'question' : 'none' }
  if (verdict.ok === false || call.evidence?.isAnchored !== true) return finding
  const tx = answer as Transaction
  const { blockHash, blockNumber, transactionIndex } = tx
  if (blockHash == null && blockNumber == null && transactionIndex == null) return finding
  const form = malformed(placeSchema, answer)
  return form ?? placed(finding, tx, expected, call.evidence)
}

const checkTransactionByPlace: Check = async (call) => {
  const { ask, params, method, evidence } = call
  if (evidence === undefined) return consistent(call)
  const index = askedIndex(params[1])
  const known = await evidence.block(params[0])
  const { hash, anchor } = known
  // The block refutes or confirms even null.
  const contents = evidence.contents(hash)
  contents.catch(() => {})
  const answer = await (method === 'eth_getTransactionByBlockHashAndIndex'
    ? ask()
    : ask('eth_getTransactionByBlockHashAndIndex', [hash, index]))
  if (answer === undefined) return nothingThere
  const listed = transactionAt(await contents, index)
  if (listed !== undefined && answer !== null) return inBlock(answer, listed, known, index)
  if (listed === undefined && answer === null) return proven(anchor)
  return wrong(
    '',
    `block ${hash} has ${listed ? 'a' : 'no'} transaction ${index}, and ${describeValue(answer)} came`,
    anchor,
  )
}

/** Checks of the methods that answer transactions. Source: Spec §4.4, §4.5. */
export const transactionChecks: Checks = {
  eth_getTransactionByHash: checkTransactionByHash,
  eth_getTransactionByBlockHashAndIndex: checkTransactionByPlace,
  eth_getTransactionByBlockNumberAndIndex: checkTransactionByPlace,
}

async function consistent({ ask, method, params, judge }: Call): Promise<Finding> {
  const answer = await ask()
  if (answer == null) return nothingThere
  const expected = askedTransaction(method, params)
  return { verdict: await judge({ check: 'transaction', answer, expected }), anchor: 'none' }
}

/** The params of the methods that return one transaction, as expectations. Source: Spec §4.4, §4.5, execution-apis. @throws VerifyError */
function askedTransaction(method: string, [asked, index]: readonly unknown[]): ExpectedTransaction {
  if (method === 'eth_getTransactionByHash') return { hash: askedHash(asked) }
  if (method === 'eth_getTransactionByBlockHashAndIndex')
    return { blockHash: askedHash(asked), index: askedIndex(index) }
  const { number, tag } = askedBlock(asked)
  // A pending transaction has no place yet, and the number of a tag is not known here.
  if (tag === 'pending') return {}
  return { index: askedIndex(index), ...(number && { blockNumber: number }) }
}

/**
 * Compares the place that a transaction claims with the block there. If the anchor does not reach that far, the contents
 * of the transaction are proven all the same, and the report says that its place is not.
 */
async function placed(
  finding: Finding,
  tx: Transaction,
  expected: ExpectedTransaction,
  evidence: Evidence,
): Promise<Finding> {
  const known = await orUndefined(evidence.block(tx.blockNumber))
  if (known === undefined) {
    const claimed = await orUndefined(evidence.block(tx.blockHash))
    const other = claimed && refuseOther('blockNumber', tx.blockNumber, claimed.header.number!)
    return other === undefined ? finding : { verdict: other, anchor: finding.anchor }
  }
  const other = refuseOther('blockHash', tx.blockHash, known.hash)
  if (other !== undefined) return { verdict: other, anchor: known.anchor }
  const index = askedIndex(tx.transactionIndex)
  const listed = transactionAt(await evidence.contents(known.hash), index)
  if (listed === undefined || !isSameHex(listed.hash, expected.hash ?? tx.hash)) {
    return wrong('transactionIndex', `block ${known.hash} has another transaction ${index}`, known.anchor)
  }
  return inBlock(tx, listed, known, index)
}

/** Undefined if the proof fails as `unproven`. */
async function orUndefined<T>(proof: Promise<T>): Promise<T | undefined> {
  try {
    return await proof
  } catch (thrown) {
    if (thrown instanceof VerifyError && thrown.code === 'unproven') return undefined
    throw thrown
  }
}

/** Compares an answer with the transaction at its place in a proven block. */
function inBlock(
  answer: unknown,
  listed: Transaction,
  { hash, header, anchor }: KnownHeader,
  index: Quantity,
): Finding {
  const verdict = verifyTransaction(answer, {
    hash: listed.hash,
    blockHash: hash,
    blockNumber: header.number!,
    blockTimestamp: header.timestamp,
    ...(header.baseFeePerGas == null ? {} : { baseFeePerGas: header.baseFeePerGas }),
    index,
  })
  // The block was proven, so its transaction is of a known type.
  if (verdict.ok === undefined) {
    const other = contradictionOf(answer, listed, {})
    return wrong(other?.field ?? 'type', other?.reason ?? verdict.reason, anchor)
  }
  const finding: Finding = { verdict, anchor }
  return verdict.ok ? withLevel(finding, consistentOf(verdict.fields, [...place, 'gasPrice']), 'proven') : finding
}

/** The names that the report calls consistent: each was compared with a proven block. */
function consistentOf(fields: FieldReport, names: readonly string[]): string[] {
  return names.filter((name) => fields[name] === 'consistent')
}

/** The transaction at an index of a block with whole transactions. */
function transactionAt(block: Block, index: Quantity): Transaction | undefined {
  return BigInt(index) < BigInt(block.transactions.length)
    ? (block.transactions[Number(index)] as Transaction)
    : undefined
}
