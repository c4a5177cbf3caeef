import type { Address, Hex } from '@wayleave/evm-types'
import { bytesFromHex, hexFromBytes, joinBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { keccak } from './keccak.ts'
import { recoverAddress } from './recover-address.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { decodeRlp } from './rlp-decode.ts'

/** The sender of a signed transaction, and the number of transactions that it sent before. */
export interface RawTransactionSender {
  /** In lower case. */
  readonly sender: Address
  readonly nonce: bigint
}

/** The number of items of each type, its signature included. */
const lengths: ReadonlyMap<number, number> = new Map([
  [0, 9],
  [1, 11],
  [2, 12],
  [3, 14],
  [4, 13],
])

/**
 * The account that signed a transaction of types 0 to 4 in its network form, with or without its blobs. Looks at nothing but what that
 * takes: a node may refuse the transaction all the same. Source: EIP-155, EIP-2718. @throws VerifyError
 */
export function rawTransactionSender(raw: Hex): RawTransactionSender {
  if (raw.length % 2 !== 0 || !/^0x[0-9a-f]+$/i.test(raw)) throw malformed('expected bytes in hex')
  const bytes = bytesFromHex(raw)
  const type = bytes[0]! < 0xc0 ? bytes[0]! : 0
  const items = itemsOf(decodeRlp(type === 0 ? bytes : bytes.subarray(1)))
  // Blobs stand beside the transaction in a list of their own.
  const tx = type === 3 && !(items[0] instanceof Uint8Array) ? itemsOf(items[0]) : items
  if (tx.length !== lengths.get(type)) throw malformed(`type ${type} with ${tx.length} members is not known here`)
  const contents = tx.slice(0, -3)
  const [v, r, s] = tx.slice(-3).map(numberOf) as [bigint, bigint, bigint]
  const nonce = numberOf(tx[type === 0 ? 0 : 1])
  if (type > 0) {
    if (v > 1n) throw malformed('the parity is neither 0 nor 1')
    const payload = joinBytes([Uint8Array.of(type), encodeRlp(contents)])
    return { sender: recoverAddress({ r, s, yParity: v === 0n ? 0 : 1 }, keccak(payload), false), nonce }
  }
  if (v !== 27n && v !== 28n && v < 35n) throw malformed(`v is ${v}`)
  const chainId = v < 35n ? undefined : bytesFrom((v - 35n) / 2n)
  const payload = encodeRlp(chainId === undefined ? contents : [...contents, chainId, nothing, nothing])
  const yParity = (chainId === undefined ? v - 27n : (v - 35n) % 2n) === 0n ? 0 : 1
  return { sender: recoverAddress({ r, s, yParity }, keccak(payload), chainId === undefined), nonce }
}

const nothing = new Uint8Array(0)

function itemsOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw malformed('expected a list')
  return item
}

function numberOf(item: RlpItem | undefined): bigint {
  if (!(item instanceof Uint8Array) || item.length > 32) throw malformed('expected a number')
  return item.length === 0 ? 0n : BigInt(hexFromBytes(item))
}

function bytesFrom(number: bigint): Uint8Array {
  const digits = number.toString(16)
  return number === 0n ? nothing : bytesFromHex(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
}

function malformed(what: string): VerifyError {
  return new VerifyError('malformed', '', `transaction: ${what}`)
}
