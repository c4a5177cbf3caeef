import {
  type AccountProof,
  type Address,
  eth_getProof,
  type Hash,
  type Hex,
  type StorageProof,
  wordSchema,
} from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, hexFromBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import type { RlpItem } from './rlp.ts'
import { decodeRlp } from './rlp-decode.ts'
import { emptyRoot, verifyProof } from './trie/verify-proof.ts'
import type { FieldReport, FieldLevel, Verdict } from './verdict.ts'

/** Facts from the question that an account proof must agree with. The case of digits carries no meaning. */
export interface ExpectedAccount {
  /** The state root of a verified header. Without it the proof can only agree with itself. */
  readonly stateRoot?: Hash
  readonly address?: Address
  /** The storage positions in order; padded or not. */
  readonly positions?: readonly Hex[]
}

/** The code hash of an account without code. */
export const emptyCodeHash: Hash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

const zeroHash: Hash = `0x${'0'.repeat(64)}`
/** A branch has 532 bytes at most, a leaf 150. */
const longestNode = 1_024

/**
 * Compares an answer of `eth_getProof` with a state root. The account and each storage position must exist with these
 * values, or not exist, which means a nonce, a balance and values of zero. `proven` with a state root, else `consistent`
 * with the root that the proof itself begins with. Any value gets a verdict; nothing is thrown.
 * Source: EIP-1186.
 */
export function verifyAccountProof(answer: unknown, expected: ExpectedAccount = {}): Verdict {
  try {
    assertMember<AccountProof>(eth_getProof.result, answer, '')
    assertAsked(answer, expected)
    assertAccount(answer, expected.stateRoot ?? rootOf(answer))
    for (const [i, slot] of answer.storageProof.entries()) assertSlot(slot, answer.storageHash, `storageProof[${i}]`)
    const level = expected.stateRoot === undefined ? 'consistent' : 'proven'
    return { ok: true, level, fields: reportOf(answer, expected, level) }
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    return { ok: false, reason: thrown.message, field: thrown.field }
  }
}

function assertAsked({ address, storageProof }: AccountProof, expected: ExpectedAccount): void {
  if (expected.address !== undefined && address.toLowerCase() !== expected.address.toLowerCase()) {
    throw mismatch('address', expected.address, address)
  }
  const { positions } = expected
  if (positions === undefined) return
  if (positions.length !== storageProof.length) {
    throw mismatch('storageProof', `${positions.length} positions`, storageProof.length)
  }
  for (const [i, { key }] of storageProof.entries()) {
    assertMember<Hex>(wordSchema, positions[i], `positions[${i}]`)
    if (BigInt(key) !== BigInt(positions[i])) throw mismatch(`storageProof[${i}].key`, positions[i], key)
  }
}

/** The root that a proof claims to begin with. */
function rootOf({ accountProof }: AccountProof): Hash {
  const [root] = accountProof
  return root === undefined || root.length > 2 + 2 * longestNode ? emptyRoot : hexFromBytes(keccak(bytesFromHex(root)))
}

/** The members of an account, in the order of its encoding. Source: Yellow Paper, 4.1. */
function assertAccount(answer: AccountProof, stateRoot: Hash): void {
  const key = hexFromBytes(keccak(bytesFromHex(answer.address)))
  const encoded = prove('accountProof', () => verifyProof(stateRoot, key, answer.accountProof, longestNode))
  if (encoded === undefined) return assertAbsent(answer)
  const account = decodeRlp(bytesFromHex(encoded))
  const [nonce, balance, storageHash, codeHash] = account instanceof Uint8Array ? [] : account
  const isAccount = account.length === 4 && hasLength(storageHash, 32) && hasLength(codeHash, 32)
  if (!isAccount) throw new VerifyError('invalid_proof', 'accountProof', 'accountProof: it ends in no account')
  assertNumber('nonce', answer.nonce, numberOf(nonce, 'nonce'))
  assertNumber('balance', answer.balance, numberOf(balance, 'balance'))
  assertHash('storageHash', answer.storageHash, [hexFromBytes(storageHash)])
  assertHash('codeHash', answer.codeHash, [hexFromBytes(codeHash)])
}

/** For a missing account some nodes send the hashes of nothing, others zeros. */
function assertAbsent({ nonce, balance, storageHash, codeHash }: AccountProof): void {
  assertNumber('nonce', nonce, 0n)
  assertNumber('balance', balance, 0n)
  assertHash('storageHash', storageHash, [emptyRoot, zeroHash])
  assertHash('codeHash', codeHash, [emptyCodeHash, zeroHash])
}

function assertSlot({ key, value, proof }: StorageProof, storageHash: Hash, path: string): void {
  const position = bytesFromHex(`0x${key.slice(2).padStart(64, '0')}`)
  const root = BigInt(storageHash) === 0n ? emptyRoot : storageHash
  const encoded = prove(`${path}.proof`, () => verifyProof(root, hexFromBytes(keccak(position)), proof, longestNode))
  const held = encoded === undefined ? 0n : numberOf(decodeRlp(bytesFromHex(encoded)), `${path}.value`)
  assertNumber(`${path}.value`, value, held)
}

/** Prefixes errors about the nodes of a proof with the path of the proof. */
function prove<T>(field: string, verify: () => T): T {
  try {
    return verify()
  } catch (thrown) {
    if (!(thrown instanceof VerifyError)) throw thrown
    throw new VerifyError(thrown.code, `${field}${thrown.field}`, `${field}: ${thrown.message}`)
  }
}

function hasLength(item: RlpItem | undefined, length: number): item is Uint8Array {
  return item instanceof Uint8Array && item.length === length
}

/** An integer as RLP has it, without leading zeros. */
function numberOf(item: RlpItem | undefined, field: string): bigint {
  if (item instanceof Uint8Array && item.length <= 32 && item[0] !== 0) {
    return item.length === 0 ? 0n : BigInt(hexFromBytes(item))
  }
  throw new VerifyError('invalid_proof', field, `${field}: the trie holds no number here`)
}

function assertNumber(field: string, claimed: Hex, held: bigint): void {
  if (BigInt(claimed) !== held) throw mismatch(field, `0x${held.toString(16)}`, claimed)
}

function assertHash(field: string, claimed: Hash, held: readonly Hash[]): void {
  if (!held.includes(claimed.toLowerCase() as Hash)) throw mismatch(field, held[0], claimed)
}

function mismatch(field: string, expected: unknown, received: unknown): VerifyError {
  const message = `the answer's ${field} is ${describeValue(received)}, not ${describeValue(expected)}`
  return new VerifyError('mismatch', field, message)
}

/** An address or key that the question does not name is unverifiable, and so are the account's nodes without a known root. */
function reportOf(answer: AccountProof, expected: ExpectedAccount, level: FieldLevel): FieldReport {
  const known: FieldReport = {
    balance: level,
    codeHash: level,
    nonce: level,
    storageHash: level,
    address: expected.address === undefined ? 'unverifiable' : level,
    accountProof: expected.stateRoot === undefined ? 'unverifiable' : level,
    storageProof: expected.positions === undefined ? 'unverifiable' : level,
    'storageProof.*.key': expected.positions === undefined ? 'unverifiable' : level,
    'storageProof.*.value': level,
    'storageProof.*.proof': level,
  }
  const fields: Record<string, FieldLevel> = {}
  const report = (path: string): void => {
    fields[path] = Object.hasOwn(known, path) ? known[path]! : 'unverifiable'
  }
  for (const name of Object.keys(answer)) report(name)
  for (const slot of answer.storageProof) for (const name of Object.keys(slot)) report(`storageProof.*.${name}`)
  return fields
}
