import { type Hash, type Quantity, quantitySchema, type Transaction, wordSchema } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { isRecord, isSameHex } from './refusal.ts'
import { depositType, hashedMembers } from './transaction-members.ts'
import { type TransactionContents, transactionContents, withSignature } from './transaction-payload.ts'
import { senderOf } from './transaction-sender.ts'
import { isZero } from './transaction-type.ts'
import type { FieldReport, FieldLevel, Verdict } from './verdict.ts'

/** Facts that a transaction must agree with: from the question, and of its block. The case of digits carries no meaning. */
export interface ExpectedTransaction {
  readonly hash?: Hash
  readonly blockHash?: Hash
  readonly blockNumber?: Quantity
  /** Its `transactionIndex`. */
  readonly index?: Quantity
  /** Unix time, seconds; compared if the answer has it. */
  readonly blockTimestamp?: Quantity
  /** Wei per gas that its block burns. It determines the price that a transaction of types 2 to 4 paid. */
  readonly baseFeePerGas?: Quantity
}

/**
 * Compares a node's transaction with its own hash, its signature and the question.
 * `proven`: its contents hash to the expected hash; `consistent`: none was expected, so they hash to their own.
 * Its place is compared, never proven. Any value gets a verdict; nothing is thrown.
 */
export function verifyTransaction(tx: unknown, expected: ExpectedTransaction = {}): Verdict {
  if (!isRecord(tx)) return wrong('', `expected a transaction, got ${describeValue(tx)}`)
  // The form of each member is checked when it is read.
  const claimed = tx as unknown as Transaction
  try {
    const contents = transactionContents(claimed)
    return verifyContents(claimed, contents, withSignature(claimed, contents), expected)
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    if (thrown.code !== 'unsupported') return wrong(thrown.field, thrown.message)
    return (
      compareMember('hash', claimed.hash, expected.hash) ??
      comparePlace(claimed, expected) ?? {
        ok: undefined,
        reason: thrown.message,
        fields: unverifiableReport(claimed, comparedMembers(claimed, expected)),
      }
    )
  }
}

/** {@link verifyTransaction} of a transaction that was already encoded for the root of its block. @throws VerifyError */
export function verifyContents(
  tx: Transaction,
  contents: TransactionContents,
  payload: Uint8Array,
  expected: ExpectedTransaction,
): Verdict {
  return (
    compareHash(tx, hexFromBytes(keccak(payload)), expected) ??
    comparePlace(tx, expected) ??
    compareGasPrice(tx, contents.type, expected) ??
    compareSender(tx, contents) ??
    right(tx, contents, expected)
  )
}

function right(tx: Transaction, { type }: TransactionContents, expected: ExpectedTransaction): Verdict {
  const level = expected.hash === undefined ? 'consistent' : 'proven'
  const compared = comparedMembers(tx, expected)
  if (hasOwnPrice(type) && expected.baseFeePerGas !== undefined) compared.push('gasPrice')
  const bindsChain = type === 0 && Number(tx.v) > 28
  return { ok: true, level, fields: transactionReport(tx, { type, contents: level, compared, bindsChain }) }
}

function compareHash(tx: Transaction, hash: Hash, expected: ExpectedTransaction): Verdict | undefined {
  if (expected.hash !== undefined && !isSameHex(expected.hash, hash)) {
    return wrong('hash', `the answer hashes to ${hash}, not to ${describeValue(expected.hash)}`)
  }
  if (isSameHex(tx.hash, hash)) return undefined
  return wrong('hash', `the answer hashes to ${hash}, and says ${describeValue(tx.hash)}`)
}

function compareSender(tx: Transaction, contents: TransactionContents): Verdict | undefined {
  if (contents.type === depositType) return compareNoSignature(tx)
  const sender = senderOf(tx, contents)
  if (isSameHex(tx.from, sender)) return undefined
  return wrong('from', `the answer is signed by ${sender}, and says ${describeValue(tx.from)}`)
}

const signatureMembers = [
  ['v', quantitySchema],
  ['r', wordSchema],
  ['s', wordSchema],
  ['yParity', quantitySchema],
] as const

function compareNoSignature(tx: Transaction): Verdict | undefined {
  for (const [name, schema] of signatureMembers) {
    if (tx[name] != null && (schema.check(tx[name], name) !== undefined || !isZero(tx[name])))
      return wrong(name, `${name}: expected none, as nobody signs a deposit, got ${describeValue(tx[name])}`)
  }
  return undefined
}

/** Compares `gasPrice` with the price that a mined transaction paid. Source: EIP-1559. */
function compareGasPrice(tx: Transaction, type: number, expected: ExpectedTransaction): Verdict | undefined {
  const { baseFeePerGas } = expected
  if (baseFeePerGas === undefined || tx.gasPrice == null || !hasOwnPrice(type)) return undefined
  assertMember<Quantity>(quantitySchema, baseFeePerGas, 'baseFeePerGas')
  assertMember<Quantity>(quantitySchema, tx.gasPrice, 'gasPrice')
  const most = BigInt(tx.maxFeePerGas!)
  const wanted = BigInt(baseFeePerGas) + BigInt(tx.maxPriorityFeePerGas!)
  const paid = wanted < most ? wanted : most
  if (BigInt(tx.gasPrice) === paid) return undefined
  return wrong('gasPrice', `the answer's gasPrice is ${describeValue(tx.gasPrice)}, not "0x${paid.toString(16)}"`)
}

/** Whether `gasPrice` is the price paid, not a member that the sender signed. */
function hasOwnPrice(type: number): boolean {
  return type >= 2 && type !== depositType
}

function comparePlace(tx: Transaction, expected: ExpectedTransaction): Verdict | undefined {
  const { blockTimestamp } = tx
  return (
    compareMember('blockHash', tx.blockHash, expected.blockHash) ??
    compareMember('blockNumber', tx.blockNumber, expected.blockNumber) ??
    compareMember('transactionIndex', tx.transactionIndex, expected.index) ??
    (blockTimestamp == null ? undefined : compareMember('blockTimestamp', blockTimestamp, expected.blockTimestamp))
  )
}

/** The members that {@link comparePlace} compared, and the hash in the question if none can be computed. */
function comparedMembers(tx: Transaction, expected: ExpectedTransaction): string[] {
  const { hash, blockHash, blockNumber, index: transactionIndex, blockTimestamp } = expected
  return Object.entries({ hash, blockHash, blockNumber, transactionIndex, blockTimestamp })
    .filter(([name, value]) => value !== undefined && tx[name as keyof Transaction] != null)
    .map(([name]) => name)
}

function compareMember(field: string, claimed: unknown, expected: string | undefined): Verdict | undefined {
  if (expected === undefined || isSameHex(claimed, expected)) return undefined
  return wrong(field, `the answer's ${field} is ${describeValue(claimed)}, not ${describeValue(expected)}`)
}

function wrong(field: string, reason: string): Verdict {
  return { ok: false, reason, field }
}

/** The facts that a report needs beyond the members that a transaction's type hashes. */
interface TransactionFacts {
  readonly type: number
  /** The level of hashed members: `proven` if the hash itself is known to be right. */
  readonly contents: 'proven' | 'consistent'
  /** Members of the answer that were compared with known facts. */
  readonly compared: readonly string[]
  /** Whether `v` names the chain, which a legacy transaction signs nowhere else. */
  readonly bindsChain: boolean
}

/** Members of list entries that are hashed with them. */
const entryMembers: Readonly<Record<string, readonly string[]>> = {
  accessList: ['address', 'storageKeys'],
  authorizationList: ['chainId', 'address', 'nonce', 'yParity', 'r', 's'],
}

/** The report on a right transaction. A null is unverifiable, except for `to`. */
function transactionReport(tx: object, facts: TransactionFacts): FieldReport {
  const covered = coveredMembers(facts)
  const report: Record<string, FieldLevel> = {}
  for (const [name, value] of Object.entries(tx)) {
    if (value == null && name !== 'to') report[name] = 'unverifiable'
    else if (covered.has(name)) report[name] = facts.contents
    else if (facts.compared.includes(name)) report[name] = 'consistent'
    else if (facts.type === depositType && isOfSignature(name)) report[name] = 'consistent'
    else report[name] = 'unverifiable'
    if (Object.hasOwn(entryMembers, name)) reportEntries(report, name, value)
  }
  return report
}

/** The report on a transaction whose hash cannot be computed. */
function unverifiableReport(tx: object, compared: readonly string[]): FieldReport {
  return Object.fromEntries(
    Object.keys(tx).map((name): [string, FieldLevel] => [
      name,
      compared.includes(name) ? 'consistent' : 'unverifiable',
    ]),
  )
}

function coveredMembers({ type, bindsChain }: TransactionFacts): ReadonlySet<string> {
  const names = new Set<string>(['type', 'hash', 'from'])
  for (const [name] of hashedMembers.get(type) ?? []) names.add(name)
  if (type !== depositType) for (const [name] of signatureMembers) names.add(name)
  if (bindsChain) names.add('chainId')
  return names
}

/** Reports the members of list entries, also of a list that the type does not hash: in a block the weakest level counts. */
function reportEntries(report: Record<string, FieldLevel>, name: string, list: unknown): void {
  if (!Array.isArray(list)) return
  const known = entryMembers[name]!
  for (const entry of list.filter(isRecord)) {
    for (const member of Object.keys(entry)) {
      const isHashed =
        known.includes(member) || (member === 'v' && entry['yParity'] == null && known.includes('yParity'))
      report[`${name}.*.${member}`] = isHashed ? report[name]! : 'unverifiable'
    }
  }
}

function isOfSignature(name: string): boolean {
  return signatureMembers.some(([member]) => member === name)
}
