import { array, boolean, nullable, object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from './data.ts'
import { maybe } from './maybe.ts'
import { type Quantity, quantitySchema } from './quantity.ts'

/** An event that a contract emitted. Its place is null while its block is pending. Source: Spec §2.5. */
export interface Log {
  readonly address: Address
  /** Up to four. */
  readonly topics: readonly Hash[]
  readonly data: Hex
  readonly blockNumber: Quantity | null
  readonly transactionHash: Hash | null
  readonly transactionIndex: Quantity | null
  readonly blockHash: Hash | null
  /** Unix time, seconds; recent nodes only. */
  readonly blockTimestamp?: Quantity | null
  /** Position among the block's logs. */
  readonly logIndex: Quantity | null
  /** True: a reorganisation took it back. */
  readonly removed?: boolean | null
}

/** What a mined transaction did. Source: Spec §2.5. */
export interface Receipt {
  /** Wei per blob gas; type 3. */
  readonly blobGasPrice?: Quantity | null
  /** Type 3. */
  readonly blobGasUsed?: Quantity | null
  readonly blockHash: Hash
  readonly blockNumber: Quantity
  /** What the transaction created, or null. */
  readonly contractAddress: Address | null
  /** Gas of the block up to and with this transaction. */
  readonly cumulativeGasUsed: Quantity
  /** Wei per gas; absent on nodes older than London. */
  readonly effectiveGasPrice?: Quantity | null
  readonly from: Address
  readonly gasUsed: Quantity
  readonly logs: readonly Log[]
  readonly logsBloom: Hex
  /** 32 bytes, the state root afterwards; before Byzantium, in place of {@link Receipt.status}. */
  readonly root?: Hex | null
  /** 1: success; 0: reverted. */
  readonly status?: Quantity | null
  /** Null: the transaction created a contract. */
  readonly to: Address | null
  readonly transactionHash: Hash
  readonly transactionIndex: Quantity
  /** Absent on nodes older than EIP-2718: a legacy transaction. */
  readonly type?: Quantity | null
}

/** Checks a {@link Log}; members beyond it pass. */
export const logSchema: Schema<Log> = object<Log>('a log', {
  address: addressSchema,
  topics: array(hashSchema),
  data: dataSchema,
  blockNumber: nullable(quantitySchema),
  transactionHash: nullable(hashSchema),
  transactionIndex: nullable(quantitySchema),
  blockHash: nullable(hashSchema),
  blockTimestamp: maybe(quantitySchema),
  logIndex: nullable(quantitySchema),
  removed: maybe(boolean),
})

/** Checks a {@link Receipt}; members beyond it pass. */
export const receiptSchema: Schema<Receipt> = object<Receipt>('a receipt', {
  blobGasPrice: maybe(quantitySchema),
  blobGasUsed: maybe(quantitySchema),
  blockHash: hashSchema,
  blockNumber: quantitySchema,
  contractAddress: nullable(addressSchema),
  cumulativeGasUsed: quantitySchema,
  effectiveGasPrice: maybe(quantitySchema),
  from: addressSchema,
  gasUsed: quantitySchema,
  logs: array(logSchema),
  logsBloom: dataSchema,
  root: maybe(dataSchema),
  status: maybe(quantitySchema),
  to: nullable(addressSchema),
  transactionHash: hashSchema,
  transactionIndex: quantitySchema,
  type: maybe(quantitySchema),
})
