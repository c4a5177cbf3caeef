import { array, choice, object, oneOf, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { type Felt, feltSchema } from './felt.ts'
import { type Hex, hexSchema } from './hex.ts'
import { type Members, objectOf } from './object-of.ts'
import type { StarknetVersion } from './versions.ts'

/** A price of gas in 0.5.1. */
interface ResourcePrice_0_5 {
  readonly price_in_wei: Hex
  readonly price_in_strk?: Hex
}

/** A price of gas, since 0.6. */
export interface ResourcePrice {
  readonly price_in_wei: Hex
  readonly price_in_fri: Hex
}

interface Always<P> {
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly sequencer_address: Felt
  readonly l1_gas_price: P
  readonly starknet_version: string
}

interface SinceBlobs extends Always<ResourcePrice> {
  readonly l1_data_gas_price: ResourcePrice
  readonly l1_da_mode: 'BLOB' | 'CALLDATA'
}

interface SinceL2Gas extends SinceBlobs {
  readonly l2_gas_price: ResourcePrice
}

interface Contents {
  readonly '0.5.1': Always<ResourcePrice_0_5>
  readonly '0.6': Always<ResourcePrice>
  readonly '0.7': SinceBlobs
  readonly '0.8': SinceL2Gas
  readonly '0.9': SinceL2Gas
  readonly '0.10': SinceL2Gas
}

interface Place {
  readonly block_hash: Felt
  readonly parent_hash: Felt
  readonly block_number: number
  readonly new_root: Felt
}

/** Zero where the node does not have it. */
interface Commitments {
  readonly event_commitment: Felt
  readonly transaction_commitment: Felt
  readonly receipt_commitment: Felt
  readonly state_diff_commitment: Felt
  readonly event_count: number
  readonly transaction_count: number
  readonly state_diff_length: number
}

/** A block's header. Source: Starknet RPC, `BLOCK_HEADER`. */
export type BlockHeader<V extends StarknetVersion = StarknetVersion> = Contents[V] &
  Place &
  (V extends '0.10' ? Commitments : unknown)

/** The header of the block that is being built. Source: Starknet RPC, `PENDING_BLOCK_HEADER`, `PRE_CONFIRMED_BLOCK_HEADER`. */
export type OpenBlockHeader<V extends StarknetVersion = StarknetVersion> = Contents[V] &
  (V extends '0.9' | '0.10'
    ? { readonly block_number: number; readonly block_hash?: never }
    : { readonly parent_hash: Felt; readonly block_hash?: never })

/** How far a block has come. */
export type BlockStatus<V extends StarknetVersion = StarknetVersion> = V extends '0.9' | '0.10'
  ? 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1'
  : 'PENDING' | 'ACCEPTED_ON_L2' | 'ACCEPTED_ON_L1' | 'REJECTED'

/** A block, or the one that is being built: it has no hash. `T`: its transactions, in whichever form. */
export type Block<V extends StarknetVersion, T> =
  | (BlockHeader<V> & { readonly status: BlockStatus<V>; readonly transactions: readonly T[] })
  | (OpenBlockHeader<V> & { readonly transactions: readonly T[] })

const price_0_5: Schema<ResourcePrice_0_5> = /*#__PURE__*/ object<ResourcePrice_0_5>('a price of gas', {
  price_in_wei: hexSchema,
  price_in_strk: /*#__PURE__*/ optional(hexSchema),
})
const price: Schema<ResourcePrice> = /*#__PURE__*/ object<ResourcePrice>('a price of gas', {
  price_in_wei: hexSchema,
  price_in_fri: hexSchema,
})

function always<P>(gasPrice: Schema<P>): Members<Always<P>> {
  return {
    timestamp: indexSchema,
    sequencer_address: feltSchema,
    l1_gas_price: gasPrice,
    starknet_version: text('a version'),
  }
}

const sinceBlobs = (): Members<SinceBlobs> => ({
  ...always(price),
  l1_data_gas_price: price,
  l1_da_mode: oneOf('BLOB', 'CALLDATA'),
})

const sinceL2Gas = (): Members<SinceL2Gas> => ({ ...sinceBlobs(), l2_gas_price: price })

const place: Members<Place> = {
  block_hash: feltSchema,
  parent_hash: feltSchema,
  block_number: indexSchema,
  new_root: feltSchema,
}

const commitments: Members<Commitments> = {
  event_commitment: feltSchema,
  transaction_commitment: feltSchema,
  receipt_commitment: feltSchema,
  state_diff_commitment: feltSchema,
  event_count: indexSchema,
  transaction_count: indexSchema,
  state_diff_length: indexSchema,
}

/** Checks a block with transactions of some form. */
export type BlockSchemaOf<V extends StarknetVersion> = <T>(transaction: Schema<T>) => Schema<Block<V, T>>

function blockSchemaOf<V extends StarknetVersion>(
  contents: () => object,
  openPlace: object,
  closedMore: object,
  statuses: readonly string[],
): BlockSchemaOf<V> {
  return <T>(transaction: Schema<T>) => {
    const transactions = array(transaction)
    const status = oneOf(...statuses)
    const closed = objectOf<object>('a block', { ...contents(), ...place, ...closedMore, status, transactions })
    const open = objectOf<object>('a block that is being built', { ...contents(), ...openPlace, transactions })
    return choice<Block<V, T>>('a block', (value) => ('block_hash' in Object(value) ? closed : open))
  }
}

const pending = { parent_hash: feltSchema }
const preConfirmed = { block_number: indexSchema }
const statuses_0_5 = ['PENDING', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1', 'REJECTED']
const statuses_0_9 = ['PRE_CONFIRMED', 'ACCEPTED_ON_L2', 'ACCEPTED_ON_L1']
const contents_0_5 = (): object => always(price_0_5)
const contents_0_6 = (): object => always(price)

export const block_0_5: BlockSchemaOf<'0.5.1'> = /*#__PURE__*/ blockSchemaOf(contents_0_5, pending, {}, statuses_0_5)
export const block_0_6: BlockSchemaOf<'0.6'> = /*#__PURE__*/ blockSchemaOf(contents_0_6, pending, {}, statuses_0_5)
export const block_0_7: BlockSchemaOf<'0.7'> = /*#__PURE__*/ blockSchemaOf(sinceBlobs, pending, {}, statuses_0_5)
export const block_0_8: BlockSchemaOf<'0.8'> = /*#__PURE__*/ blockSchemaOf(sinceL2Gas, pending, {}, statuses_0_5)
export const block_0_9: BlockSchemaOf<'0.9'> = /*#__PURE__*/ blockSchemaOf(sinceL2Gas, preConfirmed, {}, statuses_0_9)
export const block_0_10: BlockSchemaOf<'0.10'> = /*#__PURE__*/ blockSchemaOf(
  sinceL2Gas,
  preConfirmed,
  commitments,
  statuses_0_9,
)
