import { array, choice, is, nullable, object, type ObjectShape, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, bytesSchema, dataSchema, type Hash, hashSchema, type Hex, isHex } from './data.ts'
import { maybe } from './maybe.ts'
import { type Quantity, quantitySchema } from './quantity.ts'
import { type Transaction, transactionSchema } from './transaction.ts'

/**
 * An uncle: a block's header, its size and its uncles' hashes, without transactions. Members from later forks
 * are absent before them; members of proof of work are absent on some networks. Source: Spec §2.4.
 */
export interface Uncle {
  /** Wei per gas, burnt; since London. */
  readonly baseFeePerGas?: Quantity | null
  /** Since Amsterdam. Source: EIP-7928. */
  readonly blockAccessListHash?: Hash | null
  /** Since Cancun. */
  readonly blobGasUsed?: Quantity | null
  readonly difficulty?: Quantity | null
  /** Since Cancun. */
  readonly excessBlobGas?: Quantity | null
  readonly extraData: Hex
  /** Absent on some networks. */
  readonly gasLimit?: Quantity | null
  readonly gasUsed: Quantity
  /** Null for the pending block. */
  readonly hash: Hash | null
  /** 256 bytes; null or absent for the pending block. */
  readonly logsBloom?: Hex | null
  /** The receiver of the reward; null for the pending block on some nodes, and absent from heads of Kaia. */
  readonly miner?: Address | null
  readonly mixHash?: Hash | null
  /** 8 bytes; null for the pending block. */
  readonly nonce?: Hex | null
  /** Null for the pending block. */
  readonly number: Quantity | null
  /** Since Cancun. */
  readonly parentBeaconBlockRoot?: Hash | null
  readonly parentHash: Hash
  readonly receiptsRoot: Hash
  /** Since Prague. */
  readonly requestsHash?: Hash | null
  readonly sha3Uncles?: Hash | null
  /** Bytes. */
  readonly size?: Quantity | null
  /** The slot on the consensus chain; since Amsterdam. Source: EIP-7843. */
  readonly slotNumber?: Quantity | null
  /** `0x` on chains without a state root, such as Tron. */
  readonly stateRoot: Hash
  /** Unix time, seconds. */
  readonly timestamp: Quantity
  /** Gone from recent nodes. */
  readonly totalDifficulty?: Quantity | null
  readonly transactionsRoot: Hash
  readonly uncles?: readonly Hash[] | null
  /** Since Shanghai. */
  readonly withdrawalsRoot?: Hash | null
}

/** A block's header: an uncle's members, on most nodes without `size` and `uncles`. Source: execution-apis. */
export type Header = Uncle

/**
 * A block: an uncle's members, and what it contains. `T`: its transactions, which are hashes, or whole if the caller asked for that.
 * Source: Spec §2.4, execution-apis.
 */
export interface Block<T extends Hash | Transaction = Hash | Transaction> extends Uncle {
  /** Null in place of none passes the checks, too: some nodes of Cosmos say so against the standard. */
  readonly transactions: readonly T[]
  /** Since Shanghai. */
  readonly withdrawals?: readonly Withdrawal[] | null
}

/** A payout of a validator's stake. Source: EIP-4895. */
export interface Withdrawal {
  readonly index: Quantity
  readonly validatorIndex: Quantity
  readonly address: Address
  /** Gwei. */
  readonly amount: Quantity
}

const stateRootSchema: Schema<Hash> = is(
  `${hashSchema.expected}, or 0x`,
  (value) => value === '0x' || isHex(value, 64, 64),
  () => ({ type: 'string', pattern: '^0x([0-9a-fA-F]{64})?$' }),
)

const uncleShape: ObjectShape<Uncle> = {
  baseFeePerGas: maybe(quantitySchema),
  blockAccessListHash: maybe(hashSchema),
  blobGasUsed: maybe(quantitySchema),
  difficulty: maybe(quantitySchema),
  excessBlobGas: maybe(quantitySchema),
  extraData: dataSchema,
  gasLimit: maybe(quantitySchema),
  gasUsed: quantitySchema,
  hash: nullable(hashSchema),
  logsBloom: maybe(bytesSchema(256)),
  miner: maybe(addressSchema),
  mixHash: maybe(hashSchema),
  nonce: maybe(bytesSchema(8)),
  number: nullable(quantitySchema),
  parentBeaconBlockRoot: maybe(hashSchema),
  parentHash: hashSchema,
  receiptsRoot: hashSchema,
  requestsHash: maybe(hashSchema),
  sha3Uncles: maybe(hashSchema),
  size: maybe(quantitySchema),
  slotNumber: maybe(quantitySchema),
  stateRoot: stateRootSchema,
  timestamp: quantitySchema,
  totalDifficulty: maybe(quantitySchema),
  transactionsRoot: hashSchema,
  uncles: maybe(array(hashSchema)),
  withdrawalsRoot: maybe(hashSchema),
}

/** Checks a {@link Withdrawal}; members beyond it pass. */
export const withdrawalSchema: Schema<Withdrawal> = object<Withdrawal>('a withdrawal', {
  index: quantitySchema,
  validatorIndex: quantitySchema,
  address: addressSchema,
  amount: quantitySchema,
})

const blockTransactionSchema: Schema<Hash | Transaction> = choice(
  'a transaction or its hash',
  (value) => (typeof value === 'string' ? hashSchema : transactionSchema),
  [hashSchema, transactionSchema],
)

/** Checks an {@link Uncle}; members beyond it pass. */
export const uncleSchema: Schema<Uncle> = object<Uncle>('an uncle', uncleShape)

/** Checks a {@link Header}; members beyond it pass. */
export const headerSchema: Schema<Header> = object<Header>('a block header', uncleShape)

/** Members of {@link blockSchema}. */
export const blockShape: ObjectShape<Block> = {
  ...uncleShape,
  transactions: nullable(array(blockTransactionSchema)) as Schema<Block['transactions']>,
  withdrawals: maybe(array(withdrawalSchema)),
}

/** Checks a {@link Block}; members beyond it pass. */
export const blockSchema: Schema<Block> = object<Block>('a block', blockShape)
