import { array, boolean, object, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex, wordSchema } from './data.ts'
import { maybe } from './maybe.ts'
import { type Quantity, quantitySchema } from './quantity.ts'

/** An address and storage keys that a transaction declares in advance. Source: EIP-2930. */
export interface AccessListEntry {
  readonly address: Address
  readonly storageKeys: readonly Hash[]
}

/** A signed delegation of an account to code. Source: EIP-7702. */
export interface Authorization {
  /** 0: any chain. */
  readonly chainId: Quantity
  /** The contract whose code the signer's account takes. */
  readonly address: Address
  readonly nonce: Quantity
  readonly yParity: Quantity
  /** A quantity on most nodes, 32 padded bytes on some. */
  readonly r: Hex
  /** As {@link Authorization.r}. */
  readonly s: Hex
}

/**
 * A transaction of type 0 to 4, of OP's 0x7e, or of a type that another network adds, whose own members pass unchecked.
 * Nodes leave out members that a type lacks, or send null. Source: Spec §2.3.
 */
export interface Transaction {
  /** Types 1 to 4. */
  readonly accessList?: readonly AccessListEntry[] | null
  /** Type 4. */
  readonly authorizationList?: readonly Authorization[] | null
  /** Type 3. */
  readonly blobVersionedHashes?: readonly Hash[] | null
  /** Null or absent while pending. */
  readonly blockHash?: Hash | null
  /** Null or absent while pending. */
  readonly blockNumber?: Quantity | null
  /** Unix time, seconds; recent nodes only, null while pending. */
  readonly blockTimestamp?: Quantity | null
  /** Absent from legacy transactions signed without one (before EIP-155). */
  readonly chainId?: Quantity | null
  /** Type 0x7e. Source of all members of that type: op-geth. */
  readonly depositReceiptVersion?: Quantity | null
  readonly from: Address
  /** Gas limit. */
  readonly gas: Quantity
  /** Wei per gas: the sender's price, or the price that a mined transaction of types 2 to 4 paid. Absent from some pending ones. */
  readonly gasPrice?: Quantity | null
  readonly hash: Hash
  readonly input: Hex
  /** True if it takes no gas of its block; type 0x7e, before Regolith. */
  readonly isSystemTx?: boolean | null
  /** Wei per blob gas, at most; type 3. */
  readonly maxFeePerBlobGas?: Quantity | null
  /** Wei per gas, base and priority fee together, at most; types 2 to 4. */
  readonly maxFeePerGas?: Quantity | null
  /** Wei per gas above the base fee, at most; types 2 to 4. */
  readonly maxPriorityFeePerGas?: Quantity | null
  /** Wei created for the sender; type 0x7e. */
  readonly mint?: Quantity | null
  /** The number of earlier transactions of the sender. */
  readonly nonce: Quantity
  /** A quantity on most nodes, 32 padded bytes on some; absent from unsigned system transactions. */
  readonly r?: Hex | null
  /** As {@link Transaction.r}. */
  readonly s?: Hex | null
  /** The hash of the deposit's origin; type 0x7e. */
  readonly sourceHash?: Hash | null
  /** Null, or absent on some nodes, if it creates a contract. */
  readonly to?: Address | null
  /** Null or absent while pending. */
  readonly transactionIndex?: Quantity | null
  /** Absent on nodes older than EIP-2718: a legacy transaction. */
  readonly type?: Quantity | null
  /** ECDSA recovery id; in types 1 to 4 equal to {@link Transaction.yParity}. */
  readonly v?: Quantity | null
  /** Wei. */
  readonly value: Quantity
  /** 0 or 1; types 1 to 4. */
  readonly yParity?: Quantity | null
}

/** Checks an {@link AccessListEntry} list. */
export const accessListSchema: Schema<readonly AccessListEntry[]> = array(
  object<AccessListEntry>('an access list entry', { address: addressSchema, storageKeys: array(hashSchema) }),
)

/** Checks an {@link Authorization} list. */
export const authorizationListSchema: Schema<readonly Authorization[]> = array(
  object<Authorization>('an authorization', {
    chainId: quantitySchema,
    address: addressSchema,
    nonce: quantitySchema,
    yParity: quantitySchema,
    r: wordSchema,
    s: wordSchema,
  }),
)

/** Checks a {@link Transaction}; members beyond it pass. */
export const transactionSchema: Schema<Transaction> = object<Transaction>('a transaction', {
  accessList: maybe(accessListSchema),
  authorizationList: maybe(authorizationListSchema),
  blobVersionedHashes: maybe(array(hashSchema)),
  blockHash: maybe(hashSchema),
  blockNumber: maybe(quantitySchema),
  blockTimestamp: maybe(quantitySchema),
  chainId: maybe(quantitySchema),
  depositReceiptVersion: maybe(quantitySchema),
  from: addressSchema,
  gas: quantitySchema,
  gasPrice: maybe(quantitySchema),
  hash: hashSchema,
  input: dataSchema,
  isSystemTx: maybe(boolean),
  maxFeePerBlobGas: maybe(quantitySchema),
  maxFeePerGas: maybe(quantitySchema),
  maxPriorityFeePerGas: maybe(quantitySchema),
  mint: maybe(quantitySchema),
  nonce: quantitySchema,
  r: maybe(wordSchema),
  s: maybe(wordSchema),
  sourceHash: maybe(hashSchema),
  to: maybe(addressSchema),
  transactionIndex: maybe(quantitySchema),
  type: maybe(quantitySchema),
  v: maybe(quantitySchema),
  value: quantitySchema,
  yParity: maybe(quantitySchema),
})
