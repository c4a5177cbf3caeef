import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTx, type TypedTransaction } from '@ethereumjs/tx'
import { bytesToHex } from '@ethereumjs/util'
import type { Hex, Transaction } from '@wayleave/evm-types'
import {
  type Arbitrary,
  array,
  assert,
  bigInt,
  boolean,
  constantFrom,
  option,
  property,
  record,
  uint8Array,
} from 'fast-check'
import { expect, test } from 'vitest'
import { hexFromBytes } from '../src/bytes.ts'
import { signingHash, transactionHash, verifyTransaction } from '../src/index.ts'
import { signedPayload } from '../src/transaction-payload.ts'
import { fromRaw } from './raw-transaction.ts'

// Some here; all that are asked for with DIFFERENTIAL=10000.
const runs = Number(process.env['DIFFERENTIAL'] ?? 250)

// It wants to have KZG for blob transactions, and uses none for those without their blobs.
const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague, customCrypto: { kzg: {} as never } })

// Before EIP-155 a legacy transaction names no chain.
const homestead = new Common({ chain: Mainnet, hardfork: Hardfork.Homestead })

const number = (bits: bigint): Arbitrary<bigint> => bigInt(0n, 2n ** bits - 1n).chain((limit) => bigInt(0n, limit))
const bytes = (length: number): Arbitrary<Hex> =>
  uint8Array({ minLength: length, maxLength: length }).map((all) => bytesToHex(all))

const contents = record({
  type: constantFrom(0, 1, 2, 3, 4),
  isBound: boolean(),
  nonce: number(63n),
  low: number(100n),
  more: number(100n),
  gasLimit: number(63n).map((gas) => gas % 2n ** 40n),
  to: option(bytes(20)),
  creates: boolean(),
  value: number(256n),
  data: uint8Array({ maxLength: 400 }).map((all) => bytesToHex(all)),
  accessList: array(record({ address: bytes(20), storageKeys: array(bytes(32), { maxLength: 3 }) }), { maxLength: 3 }),
  maxFeePerBlobGas: number(60n),
  blobVersionedHashes: array(
    bytes(31).map((hash): Hex => `0x01${hash.slice(2)}`),
    { minLength: 1, maxLength: 6 },
  ),
  authorizationList: array(
    record({
      chainId: constantFrom<Hex>('0x', '0x01'),
      address: bytes(20),
      nonce: number(63n).map(hexOf),
      yParity: constantFrom<Hex>('0x', '0x01'),
      r: bytes(32).map(unpadded),
      s: bytes(32).map((s) => unpadded(`0x0${s.slice(3)}`)),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  key: uint8Array({ minLength: 32, maxLength: 32 }).map((key) => key.with(0, 0x11)),
})

type Contents = typeof contents extends Arbitrary<infer T> ? T : never

/** Signed and encoded by `@ethereumjs/tx` alone. */
function signedByOracle(all: Contents): TypedTransaction {
  const { type, nonce, gasLimit, value, data, accessList, low, more } = all
  const to = type > 2 ? (all.to ?? (`0x${'11'.repeat(20)}` as const)) : (all.to ?? undefined)
  const shared = { type, nonce, gasLimit, to, value, data }
  const fees = { chainId: 1n, maxPriorityFeePerGas: low, maxFeePerGas: low + more, accessList }
  const members = [
    { ...shared, gasPrice: low },
    { ...shared, chainId: 1n, gasPrice: low, accessList },
    { ...shared, ...fees },
    { ...shared, ...fees, maxFeePerBlobGas: all.maxFeePerBlobGas, blobVersionedHashes: all.blobVersionedHashes },
    { ...shared, ...fees, authorizationList: all.authorizationList },
  ][type]
  const rules = type === 0 && !all.isBound ? homestead : common
  return createTx(members as Parameters<typeof createTx>[0], { common: rules, allowUnlimitedInitCodeSize: true }).sign(
    all.key,
  )
}

test(`${runs} transactions of types 0 to 4 have the bytes, hash, signing hash and sender that @ethereumjs/tx finds`, () => {
  const seen = new Map<string, number>()
  assert(
    property(contents, (all) => {
      const oracle = signedByOracle(all)
      const raw = oracle.serialize()
      const tx = {
        ...fromRaw(raw),
        hash: bytesToHex(oracle.hash()),
        from: oracle.getSenderAddress().toString(),
      } as unknown as Transaction
      expect(hexFromBytes(signedPayload(tx))).toBe(bytesToHex(raw))
      expect(transactionHash(tx)).toBe(tx.hash)
      expect(signingHash(tx)).toBe(bytesToHex(oracle.getHashedMessageToSign()))
      // Its sender, too.
      expect(verifyTransaction(tx, { hash: tx.hash })).toMatchObject({ ok: true, level: 'proven' })
      const kind = all.type === 0 ? `0, v ${Number(tx.v) < 29 ? 'alone' : 'with chain'}` : String(all.type)
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
    }),
    { numRuns: runs },
  )
  expect([...seen.keys()].toSorted()).toEqual(['0, v alone', '0, v with chain', '1', '2', '3', '4'])
}, 600_000)

function hexOf(value: bigint): Hex {
  const digits = value.toString(16)
  return value === 0n ? '0x' : `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`
}

function unpadded(hex: Hex): Hex {
  return hexOf(BigInt(hex))
}
