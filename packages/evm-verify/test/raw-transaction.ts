import type { Hex, Transaction } from '@wayleave/evm-types'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'

type Item = Uint8Array | Item[]

/** A decoder of its own, so that the encoder is not tested by itself. Refuses what has a shorter encoding. */
export function decodeRlp(bytes: Uint8Array): Item {
  const [item, end] = decodeAt(bytes, 0)
  if (end !== bytes.length) throw new Error(`${bytes.length - end} bytes follow the item`)
  return item
}

function decodeAt(bytes: Uint8Array, at: number): [Item, number] {
  const first = bytes[at]
  if (first === undefined) throw new Error('the item is cut off')
  if (first < 0x80) return [bytes.subarray(at, at + 1), at + 1]
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  const size = short > 55 ? short - 55 : 0
  let length = size === 0 ? short : 0
  for (const byte of bytes.subarray(at + 1, at + 1 + size)) length = length * 256 + byte
  if (size > 0 && (length < 56 || bytes[at + 1] === 0)) throw new Error('the length has a shorter form')
  const start = at + 1 + size
  const end = start + length
  if (end > bytes.length) throw new Error('the item is cut off')
  if (!isList) {
    if (length === 1 && bytes[start]! < 0x80) throw new Error('the byte stands for itself')
    return [bytes.subarray(start, end), end]
  }
  const items: Item[] = []
  for (let next = start; next < end;) {
    const [item, after] = decodeAt(bytes, next)
    items.push(item)
    next = after
  }
  return [items, end]
}

const common = ['gas', 'to', 'value', 'input'] as const
const fees = ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', ...common, 'accessList'] as const
const signature = ['yParity', 'r', 's'] as const
const layouts: readonly (readonly string[])[] = [
  ['nonce', 'gasPrice', ...common, 'v', 'r', 's'],
  ['chainId', 'nonce', 'gasPrice', ...common, 'accessList', ...signature],
  [...fees, ...signature],
  [...fees, 'maxFeePerBlobGas', 'blobVersionedHashes', ...signature],
  [...fees, 'authorizationList', ...signature],
]

/** Reads a raw transaction as JSON-RPC puts it: all members but those of its place, its hash and its sender. */
export function fromRaw(raw: Uint8Array): Partial<Transaction> {
  const type = raw[0]! < 0xc0 ? raw[0]! : 0
  const items = decodeRlp(type === 0 ? raw : raw.subarray(1)) as Item[]
  const layout = layouts[type]!
  if (items.length !== layout.length) throw new Error(`${items.length} items, not ${layout.length}`)
  const tx: Record<string, unknown> = { type: `0x${type}` }
  for (const [i, name] of layout.entries()) tx[name] = memberOf(name, items[i]!)
  if (type > 0) tx['v'] = tx['yParity']
  return tx
}

function memberOf(name: string, item: Item): unknown {
  if (name === 'accessList') {
    return (item as [Uint8Array, Uint8Array[]][]).map(([address, keys]) => ({
      address: hex(address),
      storageKeys: keys.map(hex),
    }))
  }
  if (name === 'authorizationList') {
    return (item as Uint8Array[][]).map(([chainId, address, nonce, yParity, r, s]) => ({
      chainId: quantity(chainId!),
      address: hex(address!),
      nonce: quantity(nonce!),
      yParity: quantity(yParity!),
      r: quantity(r!),
      s: quantity(s!),
    }))
  }
  if (name === 'blobVersionedHashes') return (item as Uint8Array[]).map(hex)
  const bytes = item as Uint8Array
  if (name === 'to') return bytes.length === 0 ? null : hex(bytes)
  return name === 'input' ? hex(bytes) : quantity(bytes)
}

function quantity(bytes: Uint8Array): Hex {
  if (bytes[0] === 0) throw new Error('an integer has no leading zeros')
  return `0x${bytesToHex(bytes).replace(/^0/, '') || '0'}`
}

function hex(bytes: Uint8Array): Hex {
  return `0x${bytesToHex(bytes)}`
}

export function bytesOf(text: string): Uint8Array {
  return hexToBytes(text.slice(2))
}
