import type { Hash, Quantity, Transaction } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'
import { transactionHash } from './transaction-hash.ts'
import { transactionSender } from './transaction-sender.ts'
import { transactionType } from './transaction-type.ts'
import type { Verdict } from './verdict.ts'

/** What a transaction was asked for by. The case of digits carries no meaning. */
export interface ExpectedTransaction {
  readonly hash?: Hash
  readonly blockHash?: Hash
  readonly blockNumber?: Quantity
  /** Its `transactionIndex`. */
  readonly index?: Quantity
}

/**
 * Compares a transaction, as a node answered it, with its own hash, with its signature and with what was asked for.
 * `proven`: its contents hash to the expected hash; `consistent`: none was expected, so they hash to their own.
 * Its place is compared, never proven. Any value gets a verdict; nothing is thrown.
 */
export function verifyTransaction(tx: unknown, expected: ExpectedTransaction = {}): Verdict {
  if (typeof tx !== 'object' || tx === null || Array.isArray(tx)) {
    return wrong('', `expected a transaction, got ${describeValue(tx)}`)
  }
  // Each member's form is checked where it is read.
  const claimed = tx as Transaction
  try {
    transactionType(claimed)
    return compareContents(claimed, expected) ?? comparePlace(claimed, expected) ?? right(expected)
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    if (thrown.code !== 'unsupported') return wrong(thrown.field, thrown.message)
    return compareClaims(claimed, expected) ?? { ok: undefined, reason: thrown.message }
  }
}

function right({ hash }: ExpectedTransaction): Verdict {
  return { ok: true, level: hash === undefined ? 'consistent' : 'proven' }
}

function compareContents(tx: Transaction, expected: ExpectedTransaction): Verdict | undefined {
  const hash = transactionHash(tx)
  if (expected.hash !== undefined && !isSame(expected.hash, hash)) {
    return wrong('hash', `the answer hashes to ${hash}, not to ${describeValue(expected.hash)}`)
  }
  if (!isSame(tx.hash, hash)) {
    return wrong('hash', `the answer hashes to ${hash}, and says ${describeValue(tx.hash)}`)
  }
  const sender = transactionSender(tx)
  if (isSame(tx.from, sender)) return undefined
  return wrong('from', `the answer is signed by ${sender}, and says ${describeValue(tx.from)}`)
}

/** All that can be compared where no hash can be taken. */
function compareClaims(tx: Transaction, expected: ExpectedTransaction): Verdict | undefined {
  return compareMember('hash', tx.hash, expected.hash) ?? comparePlace(tx, expected)
}

function comparePlace(tx: Transaction, expected: ExpectedTransaction): Verdict | undefined {
  return (
    compareMember('blockHash', tx.blockHash, expected.blockHash) ??
    compareMember('blockNumber', tx.blockNumber, expected.blockNumber) ??
    compareMember('transactionIndex', tx.transactionIndex, expected.index)
  )
}

function compareMember(field: string, claimed: unknown, expected: string | undefined): Verdict | undefined {
  if (expected === undefined || isSame(claimed, expected)) return undefined
  return wrong(field, `the answer's ${field} is ${describeValue(claimed)}, not ${describeValue(expected)}`)
}

function isSame(claimed: unknown, expected: string): boolean {
  return typeof claimed === 'string' && claimed.toLowerCase() === expected.toLowerCase()
}

function wrong(field: string, reason: string): Verdict {
  return { ok: false, reason, field }
}
