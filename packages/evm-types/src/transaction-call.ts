import { array, nullable, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from './data.ts'
import { type Quantity, quantitySchema } from './quantity.ts'
import { type AccessListEntry, accessListSchema, type Authorization, authorizationListSchema } from './transaction.ts'

/** An unsigned transaction to execute or estimate. Every member may be absent. Source: Spec §2.6, execution-apis. */
export interface TransactionCall {
  readonly from?: Address
  /** Absent or null: creates a contract. */
  readonly to?: Address | null
  /** Gas limit; the service caps it at 10 times the block's (Spec §8). */
  readonly gas?: Quantity
  /** Wei per gas; excludes the two fees of EIP-1559. */
  readonly gasPrice?: Quantity
  /** Wei per gas above the base fee. */
  readonly maxPriorityFeePerGas?: Quantity
  /** Wei per gas, base and priority fee together. */
  readonly maxFeePerGas?: Quantity
  /** Wei. */
  readonly value?: Quantity
  /** Selector and ABI-encoded arguments. */
  readonly data?: Hex
  /** The newer name of {@link TransactionCall.data}; wins if both are present. */
  readonly input?: Hex
  readonly nonce?: Quantity
  readonly type?: Quantity
  readonly chainId?: Quantity
  readonly accessList?: readonly AccessListEntry[]
  /** Wei per blob gas. */
  readonly maxFeePerBlobGas?: Quantity
  readonly blobVersionedHashes?: readonly Hash[]
  readonly authorizationList?: readonly Authorization[]
  /** 128 kB each, with their commitments and proofs, if the node signs. Source: execution-apis, go-ethereum. */
  readonly blobs?: readonly Hex[]
  readonly commitments?: readonly Hex[]
  readonly proofs?: readonly Hex[]
}

/** Checks a {@link TransactionCall}; refuses unknown members, because nodes would ignore a misspelt one. */
export const transactionCallSchema: Schema<TransactionCall> = object<TransactionCall>(
  'a transaction call object',
  {
    from: optional(addressSchema),
    to: optional(nullable(addressSchema)),
    gas: optional(quantitySchema),
    gasPrice: optional(quantitySchema),
    maxPriorityFeePerGas: optional(quantitySchema),
    maxFeePerGas: optional(quantitySchema),
    value: optional(quantitySchema),
    data: optional(dataSchema),
    input: optional(dataSchema),
    nonce: optional(quantitySchema),
    type: optional(quantitySchema),
    chainId: optional(quantitySchema),
    accessList: optional(accessListSchema),
    maxFeePerBlobGas: optional(quantitySchema),
    blobVersionedHashes: optional(array(hashSchema)),
    authorizationList: optional(authorizationListSchema),
    blobs: optional(array(dataSchema)),
    commitments: optional(array(dataSchema)),
    proofs: optional(array(dataSchema)),
  },
  { closed: true },
)
