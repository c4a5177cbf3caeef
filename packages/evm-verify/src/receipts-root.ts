import {
  dataSchema,
  type Hash,
  hashSchema,
  type Hex,
  type Log,
  type Quantity,
  quantitySchema,
  type Receipt,
} from '@wayleave/evm-types'
import { assertMember } from './assert-member.ts'
import { bytesFromHex, hexFromBytes, joinBytes } from './bytes.ts'
import { VerifyError } from './error.ts'
import { bloomOf } from './logs-bloom.ts'
import { encodeRlp, type RlpItem } from './rlp.ts'
import { quantityItem } from './transaction-members.ts'
import { orderedRoot } from './trie/ordered-root.ts'

/** The members that a receipt's encoding covers. */
export type EncodableReceipt = Pick<
  Receipt,
  'cumulativeGasUsed' | 'depositNonce' | 'depositReceiptVersion' | 'logs' | 'root' | 'status' | 'type'
>

/**
 * `receiptsRoot` of a block, from all its receipts in order. Computes `logsBloom` from `logs` instead of reading it.
 * @throws VerifyError `unsupported` for a type other than 0 to 4 and 0x7e, `malformed`
 */
export function receiptsRoot(receipts: readonly EncodableReceipt[]): Hash {
  return hexFromBytes(orderedRoot(receipts.map((receipt) => receiptPayload(receipt))))
}

/** The encoding of a receipt in the trie of its block. Source: EIP-2718, EIP-658. */
export function receiptPayload(
  receipt: EncodableReceipt,
  bloom: Uint8Array = bloomOf(receipt.logs, 'logs'),
): Uint8Array {
  const type = receiptType(receipt)
  const list = encodeRlp([
    outcomeItem(receipt),
    quantityItem(receipt.cumulativeGasUsed, 'cumulativeGasUsed'),
    bloom,
    receipt.logs.map(logItem),
    ...(type === 0x7e ? depositItems(receipt) : []),
  ])
  return type === 0 ? list : joinBytes([Uint8Array.of(type), list])
}

/** The type of a receipt; absent means 0. @throws VerifyError */
export function receiptType({ type }: EncodableReceipt): number {
  const quantity = type ?? '0x0'
  assertMember<Quantity>(quantitySchema, quantity, 'type')
  const number = Number(quantity)
  if (number <= 4 || number === 0x7e) return number
  throw new VerifyError('unsupported', 'type', `type: how receipts of type ${quantity} are encoded is not known here`)
}

/** Before Byzantium the state root, then the status. */
function outcomeItem({ root, status }: EncodableReceipt): RlpItem {
  if (isRoot(root)) return bytesFromHex(root)
  const quantity = quantityItem(status, 'status')
  if (status === '0x0' || status === '0x1') return quantity
  throw new VerifyError('malformed', 'status', `status: expected 0x0 or 0x1, got ${status}`)
}

/** Whether `root` takes the place of `status`. */
export function isRoot(root: Hex | null | undefined): root is Hex {
  return hashSchema.check(root, 'root') === undefined
}

function logItem({ address, topics, data }: Log, i: number): RlpItem {
  assertMember(dataSchema, data, `logs.${i}.data`)
  return [bytesFromHex(address), topics.map(bytesFromHex), bytesFromHex(data)]
}

/** The nonce is hashed since Canyon, which the version marks. Source: OP Stack specification, deposits. */
function depositItems({ depositNonce, depositReceiptVersion }: EncodableReceipt): RlpItem[] {
  if (depositReceiptVersion == null) return []
  return [quantityItem(depositNonce, 'depositNonce'), quantityItem(depositReceiptVersion, 'depositReceiptVersion')]
}
