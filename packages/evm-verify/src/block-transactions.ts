import { type Block, type Hash, hashSchema, type Transaction } from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { hexFromBytes } from './bytes.ts'
import { errorUnder, VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { isRecord, isSameHex, note, type Refusal, refuse, refuseOther, type FieldLevels } from './refusal.ts'
import { type TransactionContents, transactionContents, withSignature } from './transaction-payload.ts'
import { orderedRoot } from './trie/ordered-root.ts'
import { emptyRoot } from './trie/verify-proof.ts'
import type { FieldLevel } from './verdict.ts'
import { type ExpectedTransaction, verifyContents, verifyTransaction } from './verify-transaction.ts'

/** The result of checking the transactions of a block. */
export interface TransactionsFinding {
  readonly fields: FieldLevels
  /** Their bytes in the block; undefined if only their hashes are known. */
  readonly payloads?: readonly Uint8Array[]
  /** The reason if they cannot be verified. */
  readonly unknown?: string
}

/**
 * Compares a block's transactions with the root in its header, whose members have `level`, and each transaction with its
 * hash, its sender and its place. @throws VerifyError `malformed`
 */
export function judgeTransactions(
  block: Block,
  level: FieldLevel,
  full: boolean | undefined,
): Refusal | TransactionsFinding {
  const list: unknown = block.transactions
  if (!Array.isArray(list)) return refuse('transactions', 'transactions: expected an array')
  const isEmpty = isSameHex(block.transactionsRoot, emptyRoot)
  if (isEmpty !== (list.length === 0)) {
    return refuse('transactions', `transactions: ${list.length} do not go with the root ${block.transactionsRoot}`)
  }
  if (isEmpty) return { fields: { transactions: level }, payloads: [] }
  // findIndex() does not skip holes, unlike every().
  const isFull = list.findIndex((tx) => !isRecord(tx)) < 0
  if (!isFull || full === false) {
    if (full === true) return refuse('transactions', 'transactions: expected objects, got hashes')
    for (const [i, hash] of list.entries()) assertMember(hashSchema, hash, `transactions.${i}`)
    return { fields: { transactions: 'unverifiable' } }
  }
  return judgeFull(block, list as unknown as Transaction[], level)
}

function judgeFull(block: Block, list: readonly Transaction[], level: FieldLevel): Refusal | TransactionsFinding {
  const { encoded, unknown } = encodeAll(list)
  if (unknown !== undefined) return judgeUnknown(block, list, unknown)
  const payloads = encoded.map(({ payload }) => payload)
  const root = hexFromBytes(orderedRoot(payloads))
  if (!isSameHex(block.transactionsRoot, root)) return refuseRoot(block, list, payloads, root)
  const fields: FieldLevels = { transactions: level }
  for (const [i, { contents, payload }] of encoded.entries()) {
    const tx = list[i]!
    // The root covers the same members as the hash.
    const expected = { ...placeOf(block, i), ...feeOf(block), hash: tx.hash }
    const verdict = within(i, () => verifyContents(tx, contents, payload, expected))
    if (verdict.ok === false) return refuseWithin(i, verdict)
    for (const [path, own] of Object.entries(verdict.fields)) {
      note(fields, `transactions.*.${path}`, own === 'unverifiable' ? own : level)
    }
  }
  return { fields, payloads }
}

interface EncodedTransaction {
  readonly contents: TransactionContents
  readonly payload: Uint8Array
}

/** The bytes of each transaction, up to the first of an unsupported type. @throws VerifyError */
function encodeAll(list: readonly Transaction[]): { encoded: EncodedTransaction[]; unknown?: string } {
  const encoded: EncodedTransaction[] = []
  for (const [i, tx] of list.entries()) {
    try {
      const contents = transactionContents(tx)
      encoded.push({ contents, payload: withSignature(tx, contents) })
    } catch (thrown) {
      if (!(thrown instanceof VerifyError)) throw thrown
      if (thrown.code === 'unsupported') return { encoded, unknown: `transactions.${i}.${thrown.message}` }
      throw errorUnder(`transactions.${i}`, thrown)
    }
  }
  return { encoded }
}

/** Without a root, each transaction must still agree with itself. */
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

/** Blames the transaction whose hash is wrong, if there is one, else the root. */
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
    throw thrown instanceof VerifyError ? errorUnder(`transactions.${i}`, thrown) : thrown
  }
}
