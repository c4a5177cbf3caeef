import {
  type AccountProof,
  addressSchema,
  eth_getBalance,
  eth_getCode,
  eth_getStorageAt,
  eth_getTransactionCount,
  type Hash,
  type Hex,
  wordSchema,
} from '@wayleave/evm-types'
import { describeValue, type Schema } from '@wayleave/jsonrpc-core/schema'
import { emptyCodeHash, verifyAccountProof } from '../account-proof.ts'
import { bytesFromHex, hexFromBytes } from '../bytes.ts'
import { VerifyError } from '../error.ts'
import { keccak } from '../keccak.ts'
import { type Check, type Checks, type Call, beside } from './call.ts'
import type { KnownHeader } from './evidence.ts'
import { type Finding, malformed, nothingThere, proven, unknown, unproven, wrong } from './finding.ts'

/** Compares an answer with a proven account: the difference in words, or undefined if there is none. */
type Compare = (answer: Hex, account: AccountProof) => string | undefined

const checkBalance: Check = ofAccount(eth_getBalance.result, (answer, { balance }) => unlike(answer, balance))

const checkTransactionCount: Check = ofAccount(eth_getTransactionCount.result, (answer, { nonce }) =>
  unlike(answer, nonce),
)

const checkCode: Check = ofAccount(eth_getCode.result, (answer, { codeHash }) => {
  const hash = hexFromBytes(keccak(bytesFromHex(answer)))
  const expected = BigInt(codeHash) === 0n ? emptyCodeHash : codeHash.toLowerCase()
  return hash === expected ? undefined : `the code hashes to ${hash}, and its account says ${expected}`
})

const checkStorage: Check = async (call) => {
  const [address, position, block] = call.params
  return checkValue(call, eth_getStorageAt.result, address, position, block, (answer, { storageProof }) =>
    unlike(answer, storageProof[0]!.value),
  )
}

const checkProof: Check = async ({ ask, params, evidence }) => {
  const [address, positions, parameter] = params as [Hex, readonly Hex[], unknown]
  const asked = { address, positions }
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    return { verdict: verifyAccountProof(answer, asked), anchor: 'none' }
  }
  const { hash, header, anchor } = await evidence.block(parameter)
  const answer = await ask('eth_getProof', [address, positions, pin(parameter, hash)])
  if (answer === undefined) return nothingThere
  return { verdict: verifyAccountProof(answer, { ...asked, stateRoot: header.stateRoot }), anchor }
}

/** Checks of the methods that answer the state. Source: Spec §4.2, execution-apis, EIP-1186. */
export const stateChecks: Checks = {
  eth_getBalance: checkBalance,
  eth_getTransactionCount: checkTransactionCount,
  eth_getCode: checkCode,
  eth_getStorageAt: checkStorage,
  eth_getProof: checkProof,
}

function ofAccount(schema: Schema<Hex>, compare: Compare): Check {
  return async (call) => checkValue(call, schema, call.params[0], undefined, call.params[1], compare)
}

/** Checks one value of the state: of an account, or at a position of its storage. */
async function checkValue(
  { ask, method, evidence }: Call,
  schema: Schema<Hex>,
  address: unknown,
  position: unknown,
  parameter: unknown,
  compare: Compare,
): Promise<Finding> {
  if (evidence === undefined) {
    const answer = await ask()
    if (answer == null) return nothingThere
    return malformed(schema, answer) ?? unknown('a value of the state takes a proof', { '': 'unverifiable' })
  }
  if (addressSchema.check(address, '') !== undefined) throw unproven('the params name no account')
  const positions = position === undefined ? [] : [wordOf(position)]
  const known = await evidence.block(parameter)
  const pinned = pin(parameter, known.hash)
  const [answer, proof] = await beside(
    ask(method, position === undefined ? [address, pinned] : [address, position, pinned]),
    evidence.fetch('eth_getProof', [address, positions, pinned]),
  )
  if (answer === undefined) return nothingThere
  const form = malformed(schema, answer)
  if (form !== undefined) return form
  const account = assertAccount(proof, known, address as Hex, positions)
  const difference = compare(answer as Hex, account)
  return difference === undefined ? proven(known.anchor) : wrong('', difference, known.anchor)
}

/** The block by its hash, so that all calls read the same block. A hash in the question stays as it is. Source: EIP-1898. */
function pin(parameter: unknown, hash: Hash): unknown {
  const isHash = typeof parameter === 'string' ? parameter.length === 66 : Object.hasOwn(Object(parameter), 'blockHash')
  return isHash ? parameter : { blockHash: hash }
}

function assertAccount(proof: unknown, { header }: KnownHeader, address: Hex, positions: readonly Hex[]): AccountProof {
  const verdict = verifyAccountProof(proof, { stateRoot: header.stateRoot, address, positions })
  if (verdict.ok === true) return proof as AccountProof
  const reason = verdict.ok === undefined ? 'nothing can be told' : verdict.reason
  throw new VerifyError('invalid_proof', 'field' in verdict ? verdict.field : '', `eth_getProof: ${reason}`)
}

function wordOf(position: unknown): Hex {
  if (wordSchema.check(position, '') !== undefined) throw unproven('the params name no position')
  return `0x${(position as Hex).slice(2).padStart(64, '0')}`
}

function unlike(answer: Hex, held: Hex): string | undefined {
  return BigInt(answer) === BigInt(held)
    ? undefined
    : `the state holds ${held}, and the answer is ${describeValue(answer)}`
}
