import { type Block, type Hash, hashSchema, type Transaction } from '@wayleave/evm-types'
import { hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { isRecord, isSameHex, note, type Refusal, refuse, refuseOther, type Standings } from './refusal.ts'
import { assertMember } from './transaction-members.ts'
import { type TransactionContents, transactionContents, withSignature } from './transaction-payload.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import type { FieldStanding } from './verdict.ts'
import { type ExpectedTransaction, verifyContents, verifyTransaction } from './verify-transaction.ts'

/** What was found of the transactions of a block. */
export interface TransactionsFinding {
  readonly fields: Standings
  /** Their bytes in the block; undefined where only their hashes are known. */
  readonly payloads?: readonly Uint8Array[]
  /** Why nothing can be told of them. */
  readonly unknown?: string
}

/** The root of no transactions, no receipts, no withdrawals. */
export const emptyRoot: Hash = hexFromBytes(orderedRoot([]))

/**
 * Compares a block's transactions with the root in its header, whose members have the standing `level`; each with its hash, its
 * sender and its place. @throws VerifyError `malformed`
 */
export function judgeTransactions(
  block: Block,
  level: FieldStanding,
  full: boolean | undefined,
): Refusal | TransactionsFinding {
  const list: unknown = block.transactions
  if (!Array.isArray(list)) return refuse('transactions', 'transactions: expected an array')
  const isEmpty = isSameHex(block.transactionsRoot, emptyRoot)
  if (isEmpty !== (list.length === 0)) {
    return refuse('transactions', `transactions: ${list.length} do not go with the root ${block.transactionsRoot}`)
  }
  if (isEmpty) return { fields: { transactions: level }, payloads: [] }
  // Unlike every(), it does not skip holes.
  const isFull = list.findIndex((tx) => !isRecord(tx)) < 0
  if (!isFull || full === false) {
    if (full === true) return refuse('transactions', 'transactions: expected objects, got hashes')
    for (const [i, hash] of list.entries()) assertMember(hashSchema, hash, `transactions.${i}`)
    return { fields: { transactions: 'unverifiable' } }
  }
  return judgeFull(block, list as unknown as Transaction[], level)
}

function judgeFull(block: Block, list: readonly Transaction[], level: FieldStanding): Refusal | TransactionsFinding {
  const { encoded, unknown } = encodeAll(list)
  if (unknown !== undefined) return judgeUnknown(block, list, unknown)
  const payloads = encoded.map(({ payload }) => payload)
  const root = hexFromBytes(orderedRoot(payloads))
  if (!isSameHex(block.transactionsRoot, root)) return refuseRoot(block, list, payloads, root)
  const fields: Standings = { transactions: level }
  for (const [i, { contents, payload }] of encoded.entries()) {
    const tx = list[i]!
    // The root covers what the hash does.
    const expected = { ...placeOf(block, i), ...feeOf(block), hash: tx.hash }
    const verdict = within(i, () => verifyContents(tx, contents, payload, expected))
    if (verdict.ok === false) return refuseWithin(i, verdict)
    for (const [path, standing] of Object.entries(verdict.fields)) {
      note(fields, `transactions.*.${path}`, standing === 'unverifiable' ? standing : level)
    }
  }
  return { fields, payloads }
}

interface EncodedTransaction {
  readonly contents: TransactionContents
  readonly payload: Uint8Array
}

/** The bytes of each, up to the first that cannot be told. @throws VerifyError */
function encodeAll(list: readonly Transaction[]): { encoded: EncodedTransaction[]; unknown?: string } {
  const encoded: EncodedTransaction[] = []
  for (const [i, tx] of list.entries()) {
    try {
      const contents = transactionContents(tx)
      encoded.push({ contents, payload: withSignature(tx, contents) })
    } catch (thrown) {
      if (!(thrown instanceof VerifyError)) throw thrown
      if (thrown.code === 'unsupported') return { encoded, unknown: `transactions.${i}.${thrown.message}` }
      throw placed(i, thrown)
    }
  }
  return { encoded }
}

/** No root can be computed; yet each must be what it says itself. */
function judgeUnknown(block: Block, list: readonly Transaction[], unknown: string): Refusal | TransactionsFinding {
  for (const [i, tx] of list.entries()) {
    const verdict = verifyTransaction(tx, placeOf(block, i))
    if (verdict.ok === false) return refuseWithin(i, verdict)
  }
  return { fields: { transactions: 'unverifiable' }, unknown }
}

function placeOf({ hash, number, timestamp }: Block, i: number): ExpectedTransaction {
  return { blockHash: hash!, blockNumber: number!, blockTimestamp: timestamp, index: `0x${i.toString(16)}` }
}

function feeOf({ baseFeePerGas }: Block): ExpectedTransaction {
  return baseFeePerGas == null ? {} : { baseFeePerGas }
}

/** Names the transaction that is another one than its hash says, if there is one. */
function refuseRoot(block: Block, list: readonly Transaction[], payloads: readonly Uint8Array[], root: Hash): Refusal {
  for (const [i, payload] of payloads.entries()) {
    const refusal = refuseOther(`transactions.${i}.hash`, list[i]!.hash, hexFromBytes(keccak(payload)))
    if (refusal !== undefined) return refusal
  }
  return refuse('transactions', `transactions: their root is ${root}, and the header says ${block.transactionsRoot}`)
}

function refuseWithin(i: number, { field, reason }: Refusal): Refusal {
  const path = `transactions.${i}`
  return refuse(field === '' ? path : `${path}.${field}`, `${path}: ${reason}`)
}

function within<T>(i: number, run: () => T): T {
  try {
    return run()
  } catch (thrown) {
    throw thrown instanceof VerifyError ? placed(i, thrown) : thrown
  }
}

function placed(i: number, { code, field, message }: VerifyError): VerifyError {
  const path = `transactions.${i}.${field}`
  return new VerifyError(code, path, `transactions.${i}.${message}`)
}
