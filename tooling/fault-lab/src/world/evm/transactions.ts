import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Address, Hex } from '@wayleave/evm-types'
import { bytes, hex, join, keccak, minimal, quantity, rlp, type RlpItem, word } from './bytes.ts'

/** A signed transaction, as all runs know it. */
export interface LabTransaction {
  /** `b` and its number for one of the chain's own, `c` and its number for one of the callers. */
  readonly id: string
  readonly hash: Hex
  readonly raw: Hex
  readonly from: Address
  readonly nonce: number
  /** The number that it stores in the contract; undefined: it only pays. */
  readonly stores: number | undefined
  /** Its members as nodes print them, without its place. */
  readonly members: Readonly<Record<string, unknown>>
}

export const chainId = 1
/** A contract that keeps one number, and logs each change. */
export const contract: Address = `0x${'c0'.repeat(20)}`
export const receiver: Address = `0x${'de'.repeat(20)}`
/** Wei per gas. */
export const baseFee = 1_000_000_000
export const price = 2_000_000_000
/** Gas of a call of the contract and of a payment. */
export const gasOf = { store: 42_000, pay: 21_000 } as const

const privateKeys = new Map<string, { readonly key: Uint8Array; readonly address: Address }>()
const made = new Map<string, LabTransaction>()
const ofBytes = new Map<string, LabTransaction>()

/** Senders of the chain's own transactions. */
const senders = 4

/** An account: one of the chain's own for `b0` to `b3`, that of a caller's transaction for `c` and its number. */
export function accountOf(name: string): Address {
  return keyOf(name).address
}

function keyOf(name: string): { readonly key: Uint8Array; readonly address: Address } {
  let known = privateKeys.get(name)
  if (known === undefined) {
    const key = keccak(new TextEncoder().encode(`fault lab ${name}`))
    const address = hex(keccak(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12))
    privateKeys.set(name, (known = { key, address }))
  }
  return known
}

/** The chain's own transaction of a number. Signed once a process. */
export function ownTransaction(nth: number): LabTransaction {
  return once(`b${nth}`, `b${nth % senders}`, Math.floor(nth / senders), nth % 3 === 2 ? undefined : nth)
}

/** The transaction of a number that callers send: each has an account of its own, so that none waits for another. */
export function callerTransaction(nth: number): LabTransaction {
  return once(`c${nth}`, `c${nth}`, 0, nth % 4 === 3 ? undefined : 1_000_000 + nth)
}

function once(id: string, sender: string, nonce: number, stores: number | undefined): LabTransaction {
  let known = made.get(id)
  if (known === undefined) {
    known = sign(id, sender, nonce, stores)
    made.set(id, known)
    ofBytes.set(known.raw, known)
    ofBytes.set(known.hash, known)
  }
  return known
}

/** Finds a transaction of this process by its hash or its bytes. */
export function transactionOf(hashOrRaw: string): LabTransaction | undefined {
  return ofBytes.get(hashOrRaw)
}

function sign(id: string, sender: string, nonce: number, stores: number | undefined): LabTransaction {
  const { key, address: from } = keyOf(sender)
  const to = stores === undefined ? receiver : contract
  const input: Hex = stores === undefined ? '0x' : word(stores)
  const gas = stores === undefined ? gasOf.pay : gasOf.store
  const isLegacy = (nonce + id.length) % 2 === 0
  const type = Uint8Array.of(2)
  const contents: readonly RlpItem[] = isLegacy
    ? [minimal(nonce), minimal(price), minimal(gas), bytes(to), minimal(0), bytes(input)]
    : [
        minimal(chainId),
        minimal(nonce),
        minimal(price - baseFee),
        minimal(price),
        minimal(gas),
        bytes(to),
        minimal(0),
        bytes(input),
        [],
      ]
  const payload = isLegacy ? rlp([...contents, minimal(chainId), minimal(0), minimal(0)]) : join([type, rlp(contents)])
  const signature = secp256k1.Signature.fromBytes(
    secp256k1.sign(keccak(payload), key, { prehash: false, format: 'recovered' }),
    'recovered',
  )
  const { r, s, recovery = 0 } = signature
  const v = isLegacy ? chainId * 2 + 35 + recovery : recovery
  const signed = rlp([...contents, minimal(v), minimal(r), minimal(s)])
  const raw = isLegacy ? signed : join([type, signed])
  const hash = hex(keccak(raw))
  const fees = isLegacy
    ? { gasPrice: quantity(price), type: '0x0' }
    : {
        gasPrice: quantity(price),
        maxFeePerGas: quantity(price),
        maxPriorityFeePerGas: quantity(price - baseFee),
        type: '0x2',
        accessList: [],
        yParity: quantity(v),
      }
  const members = {
    hash,
    from,
    to,
    nonce: quantity(nonce),
    value: '0x0',
    gas: quantity(gas),
    input,
    chainId: quantity(chainId),
    ...fees,
    v: quantity(v),
    r: quantity(r),
    s: quantity(s),
  }
  return { id, hash, raw: hex(raw), from, nonce, stores, members }
}
