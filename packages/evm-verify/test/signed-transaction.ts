import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Address, Hex, Transaction } from '@wayleave/evm-types'
import { type Arbitrary, array, bigInt, constantFrom, option, record, uint8Array } from 'fast-check'
import { signingHash, transactionHash } from '../src/index.ts'
import { bytesOf } from './raw-transaction.ts'

const hexOf = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
const quantity = (bits: bigint): Arbitrary<Hex> => bigInt(0n, 2n ** bits - 1n).map((n): Hex => `0x${n.toString(16)}`)
const bytes = (length: number): Arbitrary<Hex> => uint8Array({ minLength: length, maxLength: length }).map(hexOf)

const contents = record({
  chainId: quantity(64n),
  nonce: quantity(64n),
  gasPrice: quantity(256n),
  maxFeePerGas: quantity(256n),
  maxPriorityFeePerGas: quantity(128n),
  maxFeePerBlobGas: quantity(64n),
  gas: quantity(64n),
  to: option(bytes(20)),
  value: quantity(256n),
  input: uint8Array({ maxLength: 300 }).map(hexOf),
  accessList: array(record({ address: bytes(20), storageKeys: array(bytes(32), { maxLength: 3 }) }), { maxLength: 3 }),
  blobVersionedHashes: array(bytes(32), { maxLength: 6 }),
  authorizationList: array(
    record({
      chainId: quantity(64n),
      address: bytes(20),
      nonce: quantity(64n),
      yParity: quantity(8n),
      r: quantity(256n),
      s: quantity(256n),
    }),
    { maxLength: 3 },
  ),
})

const common = ['nonce', 'gas', 'to', 'value', 'input'] as const
const fees = [...common, 'chainId', 'maxFeePerGas', 'maxPriorityFeePerGas', 'accessList'] as const
const memberNames = {
  unbound: [...common, 'gasPrice'],
  legacy: [...common, 'gasPrice', 'chainId'],
  '0x1': [...common, 'gasPrice', 'chainId', 'accessList'],
  '0x2': fees,
  '0x3': [...fees, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  '0x4': [...fees, 'authorizationList'],
} as const

/** `unbound`: legacy, before EIP-155. */
export type Kind = keyof typeof memberNames

export const kinds = Object.keys(memberNames) as Kind[]

/** A transaction of any type and contents, with the signature that goes with it. */
export const signedTransaction: Arbitrary<{ readonly kind: Kind; readonly tx: Transaction; readonly key: Uint8Array }> =
  record({
    kind: constantFrom(...kinds),
    all: contents,
    key: bigInt(1n, secp256k1.Point.Fn.ORDER - 1n).map((n) => bytesOf(`0x${n.toString(16).padStart(64, '0')}`)),
  }).map(({ kind, all, key }) => {
    const members = Object.fromEntries(memberNames[kind].map((name) => [name, all[name]]))
    const to = kind === '0x3' || kind === '0x4' ? (all.to ?? `0x${'11'.repeat(20)}`) : all.to
    const type = kind === 'unbound' || kind === 'legacy' ? '0x0' : kind
    return { kind, key, tx: sign({ ...members, to, type } as unknown as Transaction, kind, key) }
  })

/** The transaction with a signature, its sender and its hash. */
function sign(unsigned: Transaction, kind: Kind, key: Uint8Array): Transaction {
  // The signed bytes depend on the chain that v names, not on the rest of the signature.
  const draft = { ...unsigned, ...signatureMembers(kind, unsigned, 0, 1n, 1n) }
  const signature = secp256k1.Signature.fromBytes(
    secp256k1.sign(bytesOf(signingHash(draft)), key, { prehash: false, format: 'recovered' }),
    'recovered',
  )
  const signed = {
    ...unsigned,
    ...signatureMembers(kind, unsigned, signature.recovery!, signature.r, signature.s),
    from: addressOf(key),
  }
  return { ...signed, hash: transactionHash(signed) }
}

export function signatureMembers(kind: Kind, tx: Transaction, parity: number, r: bigint, s: bigint): object {
  const halves = { r: `0x${r.toString(16)}`, s: `0x${s.toString(16)}` }
  if (kind === 'unbound') return { ...halves, v: `0x${(27 + parity).toString(16)}` }
  if (kind === 'legacy') {
    return { ...halves, v: `0x${(BigInt(tx.chainId ?? '0x0') * 2n + 35n + BigInt(parity)).toString(16)}` }
  }
  return { ...halves, v: `0x${parity}`, yParity: `0x${parity}` }
}

function addressOf(key: Uint8Array): Address {
  return hexOf(keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12))
}
