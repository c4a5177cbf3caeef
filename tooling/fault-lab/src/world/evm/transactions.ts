import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Address, Hex } from '@wayleave/evm-types'
import { bytes, hex, join, keccak, minimal, quantity, rlp, type RlpItem, word } from './bytes.ts'

/** A log before it has its place. */
interface Emission {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** A signed transaction, as all runs know it. */
export interface LabTransaction {
  /** `b` and its number for one of the chain's own, `e` for one that leaves logs, `c` for one of the callers. */
  readonly id: string
  readonly hash: Hex
  readonly raw: Hex
  readonly from: Address
  readonly nonce: number
  /** The number that it stores in the contract; undefined: it only pays. */
  readonly stores: number | undefined
  /** The logs of other contracts that it leaves. Default: none. */
  readonly emits?: readonly Emission[]
  /** Its members as nodes print them, without its place. */
  readonly members: Readonly<Record<string, unknown>>
}

export const chainId = 1
/** A contract that keeps one number, and logs each change. */
export const contract: Address = `0x${'c0'.repeat(20)}`
/** A contract at which each node answers its own name. */
export const witness: Address = `0x${'3e'.repeat(20)}`
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

/** Contracts that leave logs, and the first topics of those. */
export const emitters: readonly Address[] = [0xe1, 0xe2, 0xe3, 0xe4].map(
  (byte): Address => `0x${byte.toString(16).repeat(20)}`,
)
export const emitted: readonly Hex[] = [0xa1, 0xa2, 0xa3].map((first): Hex => word(first))
/** Most logs of one emitting transaction. */
const mostEmitted = 8

/** The transaction of a block that leaves logs; none in two of seven blocks. Each branch of the chain has others. */
export function emittingTransactions(number: number, branch: number): readonly LabTransaction[] {
  if (number % 7 < 2) return []
  const id = `e${number}.${branch}`
  const transaction = once(id, 'e0', number, undefined)
  const count = 1 + ((number * 5 + branch) % mostEmitted)
  const emits = Array.from({ length: count }, (_, i): Emission => {
    const pick = number * 3 + branch * 5 + i * 7
    return {
      address: emitters[pick % emitters.length]!,
      topics: [emitted[(pick >> 2) % emitted.length]!, word(pick % 11)].slice(0, 1 + (i % 2)),
      data: word(number * 1_000 + i),
    }
  })
  const known = { ...transaction, emits }
  made.set(id, known)
  return [known]
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

/** Texts in the input tell the branches apart. */
function inputOf(id: string): Hex {
  return id.startsWith('e') ? hex(new TextEncoder().encode(id)) : '0x'
}

function sign(id: string, sender: string, nonce: number, stores: number | undefined): LabTransaction {
  const { key, address: from } = keyOf(sender)
  const to = stores === undefined ? receiver : contract
  const input: Hex = stores === undefined ? inputOf(id) : word(stores)
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
