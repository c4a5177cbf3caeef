import type { Quantity, Receipt, Transaction } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { numberOf } from './assert-member.ts'
import { bytesFromHex, bytesFromNumber, hexFromBytes } from './bytes.ts'
import { keccak } from './keccak.ts'
import { receiptType } from './receipts-root.ts'
import { note, type Refusal, refuse, refuseOther } from './refusal.ts'
import { encodeRlp } from './rlp.ts'
import { depositType } from './transaction-members.ts'
import type { ReceiptsPass } from './receipts-pass.ts'

/** Gas that one blob takes. Source: EIP-4844. */
const gasPerBlob = 131_072n

/** Compares the gas with the earlier receipts, and everything that follows from the transaction, if it is known. @throws VerifyError */
export function judgeOutcome(receipt: Receipt, tx: Transaction | undefined, pass: ReceiptsPass): Refusal | undefined {
  const { fields, level } = pass
  const used = numberOf(receipt.cumulativeGasUsed, 'cumulativeGasUsed') - pass.gasBefore
  pass.gasBefore += used
  if (numberOf(receipt.gasUsed, 'gasUsed') !== used) {
    return refuse('gasUsed', `gasUsed: expected ${used}, the rise of cumulativeGasUsed, got ${BigInt(receipt.gasUsed)}`)
  }
  for (const name of ['gasUsed', 'cumulativeGasUsed']) fields[`*.${name}`] = level
  return tx && judgeByTransaction(receipt, tx, pass)
}

function judgeByTransaction(receipt: Receipt, tx: Transaction, pass: ReceiptsPass): Refusal | undefined {
  const { fields, level } = pass
  const type = receiptType(receipt)
  const refusal =
    refuseOther('transactionHash', receipt.transactionHash, tx.hash) ??
    refuseOther('from', receipt.from, tx.from) ??
    refuseMaybe('to', receipt.to, tx.to ?? null) ??
    (type === Number(tx.type ?? 0) ? undefined : refuse('type', `type: expected ${tx.type}, got ${receipt.type}`))
  if (refusal !== undefined) return refusal
  for (const name of ['transactionHash', 'from', 'to', 'type']) fields[`*.${name}`] = level
  return (
    judgeContract(receipt, tx, pass) ?? judgePrice(receipt, tx, type, pass) ?? judgeBlobGas(receipt, tx, type, pass)
  )
}

/** The address of a new contract is the hash of its creator and the creator's nonce. Source: Yellow Paper §7. */
function judgeContract(receipt: Receipt, tx: Transaction, pass: ReceiptsPass): Refusal | undefined {
  const { fields, level } = pass
  const { contractAddress } = receipt
  const isCreation = tx.to == null
  // Nodes differ on a contract that failed to be created.
  const mayLack = isCreation && receipt.status === '0x0'
  // Only its receipt holds the nonce of a deposit.
  const nonce = Number(tx.type) === depositType ? receipt.depositNonce : tx.nonce
  if (isCreation && nonce == null) {
    note(fields, '*.contractAddress', 'unverifiable')
    return undefined
  }
  // Before Canyon no root covers the nonce of a deposit.
  const isCovered = !isCreation || Number(tx.type) !== depositType || receipt.depositReceiptVersion != null
  note(fields, '*.contractAddress', mayLack ? 'unverifiable' : isCovered ? level : 'consistent')
  if (mayLack && contractAddress == null) return undefined
  return refuseMaybe('contractAddress', contractAddress, isCreation ? addressOf(tx.from, nonce!) : null)
}

function addressOf(creator: `0x${string}`, nonce: Quantity): `0x${string}` {
  return hexFromBytes(keccak(encodeRlp([bytesFromHex(creator), bytesFromNumber(nonce)])).subarray(12))
}

/** The price of a unit of gas is the base fee and the tip, at most the bid. Source: EIP-1559. */
function judgePrice(receipt: Receipt, tx: Transaction, type: number, pass: ReceiptsPass): Refusal | undefined {
  const { effectiveGasPrice } = receipt
  const baseFeePerGas = pass.block?.baseFeePerGas
  if (effectiveGasPrice === undefined) return undefined
  const isKnown = effectiveGasPrice !== null && type !== depositType && (type < 2 || baseFeePerGas != null)
  note(pass.fields, '*.effectiveGasPrice', isKnown ? pass.level : 'unverifiable')
  if (!isKnown) return undefined
  if (type < 2) return refuseOther('effectiveGasPrice', effectiveGasPrice, tx.gasPrice!)
  const bid = BigInt(baseFeePerGas!) + BigInt(tx.maxPriorityFeePerGas!)
  const most = BigInt(tx.maxFeePerGas!)
  return refuseOther('effectiveGasPrice', effectiveGasPrice, `0x${(bid < most ? bid : most).toString(16)}`)
}

function judgeBlobGas(receipt: Receipt, tx: Transaction, type: number, pass: ReceiptsPass): Refusal | undefined {
  const { blobGasUsed } = receipt
  // OP-stack networks give the member another meaning, for all types.
  if (type === 3) {
    const count = BigInt(tx.blobVersionedHashes!.length)
    note(pass.fields, '*.blobGasUsed', pass.level)
    return refuseOther('blobGasUsed', blobGasUsed, `0x${(count * gasPerBlob).toString(16)}`)
  }
  if (blobGasUsed !== undefined) note(pass.fields, '*.blobGasUsed', 'unverifiable')
  return undefined
}

function refuseMaybe(field: string, claimed: unknown, must: string | null): Refusal | undefined {
  if (must !== null) return refuseOther(field, claimed, must)
  return claimed == null ? undefined : refuse(field, `${field}: expected null, got ${describeValue(claimed)}`)
}
