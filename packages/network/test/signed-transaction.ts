import { createECDH } from 'node:crypto'
import { rawTransactionSender } from '@wayleave/evm-verify'
import { type Hex, transactionHash } from '@wayleave/evm-types'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function inverse(of: bigint): bigint {
  let [a, b, x, y] = [of % order, order, 1n, 0n]
  while (a !== 0n) {
    const quotient = b / a
    ;[a, b, x, y] = [b - quotient * a, a, y - quotient * x, x]
  }
  return ((y % order) + order) % order
}

const bytesOf = (value: bigint): Buffer => {
  const digits = value === 0n ? '' : value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}

function item(bytes: Buffer): Buffer {
  return bytes.length === 1 && bytes[0]! < 0x80 ? bytes : Buffer.concat([headOf(0x80, bytes.length), bytes])
}

function headOf(offset: number, length: number): Buffer {
  if (length < 56) return Buffer.from([offset + length])
  const size = bytesOf(BigInt(length))
  return Buffer.concat([Buffer.from([offset + 55 + size.length]), size])
}

function list(items: readonly Buffer[]): Buffer {
  const body = Buffer.concat(items.map(item))
  return Buffer.concat([headOf(0xc0, body.length), body])
}

const hexOf = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`

/** A legacy transaction to address 0 that the holder of a key, a number from 1 on, signed for chain 1; and its sender. */
export function signedTransaction(
  key: number,
  nonce: number,
  gasPrice: number,
): { readonly raw: Hex; readonly sender: Hex } {
  const fields = [BigInt(nonce), BigInt(gasPrice), 21_000n].map(bytesOf)
  const rest = [Buffer.alloc(20), Buffer.alloc(0), Buffer.alloc(0)]
  const payload = list([...fields, ...rest, Buffer.from([1]), Buffer.alloc(0), Buffer.alloc(0)])
  const digest = BigInt(transactionHash(hexOf(payload))!)
  const ecdh = createECDH('secp256k1')
  // One number for all: whoever learns a key of these learns a number from 1 on.
  ecdh.setPrivateKey(Buffer.from(7n.toString(16).padStart(64, '0'), 'hex'))
  const point = ecdh.getPublicKey('hex', 'uncompressed')
  const r = BigInt(`0x${point.slice(2, 66)}`) % order
  const isOdd = BigInt(`0x${point.slice(66)}`) % 2n
  const s = (inverse(7n) * (digest + r * BigInt(key))) % order
  const isHigh = s > order / 2n
  const v = 37n + (isHigh ? 1n - isOdd : isOdd)
  const raw = hexOf(list([...fields, ...rest, bytesOf(v), bytesOf(r), bytesOf(isHigh ? order - s : s)]))
  return { raw, sender: rawTransactionSender(raw).sender }
}
