import { array, boolean, object, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from './data.ts'
import { maybe } from './maybe.ts'
import { type Quantity, quantitySchema } from './quantity.ts'

/** An event that a contract emitted. Its position is null or absent while its block is pending. Source: Spec §2.5. */
export interface Log {
  readonly address: Address
  /** Up to four. */
  readonly topics: readonly Hash[]
  readonly data: Hex
  readonly blockNumber?: Quantity | null
  readonly transactionHash?: Hash | null
  readonly transactionIndex?: Quantity | null
  readonly blockHash?: Hash | null
  /** Unix time, seconds; recent nodes only. */
  readonly blockTimestamp?: Quantity | null
  /** Position among the block's logs. */
  readonly logIndex?: Quantity | null
  /** True if a reorganisation removed it. */
  readonly removed?: boolean | null
}

/** The effects of a mined transaction. Source: Spec §2.5. */
export interface Receipt {
  /** Wei per blob gas; type 3. Source of all OP members: op-geth. */
  readonly blobGasPrice?: Quantity | null
  /** Type 3; on OP since Jovian, for every type, the transaction's share of the block's data limit. */
  readonly blobGasUsed?: Quantity | null
  /** Null while pending, which zkSync tells of. */
  readonly blockHash?: Hash | null
  /** As {@link Receipt.blockHash}. */
  readonly blockNumber?: Quantity | null
  /** The contract that the transaction created; else null, or absent on some nodes. */
  readonly contractAddress?: Address | null
  /** Gas of the block up to and including this transaction; absent on Kaia. */
  readonly cumulativeGasUsed?: Quantity | null
  /** OP since Jovian. */
  readonly daFootprintGasScalar?: Quantity | null
  /** The sender's nonce of a type 0x7e; OP since Regolith. */
  readonly depositNonce?: Quantity | null
  /** 1 where the nonce is part of the hashed receipt; OP since Canyon. */
  readonly depositReceiptVersion?: Quantity | null
  /** Wei per gas; absent on nodes older than London. */
  readonly effectiveGasPrice?: Quantity | null
  readonly from: Address
  readonly gasUsed: Quantity
  /** OP since Ecotone. */
  readonly l1BaseFeeScalar?: Quantity | null
  /** Wei per blob gas; OP since Ecotone. */
  readonly l1BlobBaseFee?: Quantity | null
  /** OP since Ecotone. */
  readonly l1BlobBaseFeeScalar?: Quantity | null
  /** Wei, for the transaction's share of L1; OP, and other rollups. */
  readonly l1Fee?: Quantity | null
  /** A decimal fraction; OP before Ecotone. */
  readonly l1FeeScalar?: string | null
  /** Wei per gas of L1; OP. */
  readonly l1GasPrice?: Quantity | null
  /** OP; no part of the fee since Fjord. */
  readonly l1GasUsed?: Quantity | null
  readonly logs: readonly Log[]
  /** Absent on old development nodes. */
  readonly logsBloom?: Hex | null
  /** Wei for each transaction; OP since Isthmus. */
  readonly operatorFeeConstant?: Quantity | null
  /** OP since Isthmus. */
  readonly operatorFeeScalar?: Quantity | null
  /** The state root afterwards, 32 bytes; before Byzantium, instead of {@link Receipt.status}. */
  readonly root?: Hex | null
  /** 1: success; 0: reverted. */
  readonly status?: Quantity | null
  /** Null, or absent on some nodes: the transaction created a contract. */
  readonly to?: Address | null
  readonly transactionHash: Hash
  /** As {@link Receipt.blockHash}. */
  readonly transactionIndex?: Quantity | null
  /** Absent on nodes older than EIP-2718: a legacy transaction. */
  readonly type?: Quantity | null
}

/** Checks a {@link Log}; members beyond it pass. */
export const logSchema: Schema<Log> = object<Log>('a log', {
  address: addressSchema,
  topics: array(hashSchema),
  data: dataSchema,
  blockNumber: maybe(quantitySchema),
  transactionHash: maybe(hashSchema),
  transactionIndex: maybe(quantitySchema),
  blockHash: maybe(hashSchema),
  blockTimestamp: maybe(quantitySchema),
  logIndex: maybe(quantitySchema),
  removed: maybe(boolean),
})

/** Checks a {@link Receipt}; members beyond it pass. */
export const receiptSchema: Schema<Receipt> = object<Receipt>('a receipt', {
  blobGasPrice: maybe(quantitySchema),
  blobGasUsed: maybe(quantitySchema),
  blockHash: maybe(hashSchema),
  blockNumber: maybe(quantitySchema),
  contractAddress: maybe(addressSchema),
  cumulativeGasUsed: maybe(quantitySchema),
  daFootprintGasScalar: maybe(quantitySchema),
  depositNonce: maybe(quantitySchema),
  depositReceiptVersion: maybe(quantitySchema),
  effectiveGasPrice: maybe(quantitySchema),
  from: addressSchema,
  gasUsed: quantitySchema,
  l1BaseFeeScalar: maybe(quantitySchema),
  l1BlobBaseFee: maybe(quantitySchema),
  l1BlobBaseFeeScalar: maybe(quantitySchema),
  l1Fee: maybe(quantitySchema),
  l1FeeScalar: maybe(text('a decimal fraction')),
  l1GasPrice: maybe(quantitySchema),
  l1GasUsed: maybe(quantitySchema),
  logs: array(logSchema),
  logsBloom: maybe(dataSchema),
  operatorFeeConstant: maybe(quantitySchema),
  operatorFeeScalar: maybe(quantitySchema),
  root: maybe(dataSchema),
  status: maybe(quantitySchema),
  to: maybe(addressSchema),
  transactionHash: hashSchema,
  transactionIndex: maybe(quantitySchema),
  type: maybe(quantitySchema),
})
