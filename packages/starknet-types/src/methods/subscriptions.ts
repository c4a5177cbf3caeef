import { array, boolean, is, oneOf, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockIdOf, closedBlockId_0_8 } from '../block-id.ts'
import type { EventAddress } from '../event.ts'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import type { TransactionFlag } from '../flags.ts'
import { specOf, type StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { Status_0_9 } from '../transaction-status.ts'
import type { From, StarknetVersion } from '../versions.ts'
import * as table from './table.ts'

/** The name of a subscription, which ends it: a text; some nodes of 0.8 gave a number. */
export type SubscriptionId = string | number

type Start = BlockIdOf<'latest'>
type Keys = readonly (readonly Felt[])[]
type EventFinality = 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2'
type OpenStatus = Exclude<Status_0_9, 'ACCEPTED_ON_L1'>

/** A method that opens a subscription. */
type Subscribe<Named extends object, Positional extends readonly unknown[]> = StarknetMethodSpec<
  Params<Named, Positional>,
  SubscriptionId
>

interface EventsFrom<V extends StarknetVersion> {
  readonly from_address?: EventAddress<V>
  readonly keys?: Keys
  readonly block_id?: Start
}

export type SubscribeEvents<V extends StarknetVersion> = From<
  V,
  '0.9',
  Subscribe<
    EventsFrom<V> & { readonly finality_status?: EventFinality },
    readonly [from_address?: EventAddress<V>, keys?: Keys, block_id?: Start, finality_status?: EventFinality]
  >,
  Subscribe<EventsFrom<V>, readonly [from_address?: EventAddress<V>, keys?: Keys, block_id?: Start]>
>

interface NewTransactions {
  readonly finality_status?: readonly OpenStatus[]
  readonly sender_address?: readonly Felt[]
}

export type SubscribeTransactions<V extends StarknetVersion> = From<
  V,
  '0.10',
  Subscribe<
    NewTransactions & { readonly tags?: readonly TransactionFlag[] },
    readonly [
      finality_status?: readonly OpenStatus[],
      sender_address?: readonly Felt[],
      tags?: readonly TransactionFlag[],
    ]
  >,
  Subscribe<NewTransactions, readonly [finality_status?: readonly OpenStatus[], sender_address?: readonly Felt[]]>
>

export const subscriptionId: Schema<SubscriptionId> = /*#__PURE__*/ is(
  'a subscription id',
  (value) => typeof value === 'string' || Number.isSafeInteger(value),
)
/** Checks how final the events of a subscription are. */
export const eventFinality: Schema<EventFinality> = /*#__PURE__*/ oneOf('PRE_CONFIRMED', 'ACCEPTED_ON_L2')

/** Checks the states of transactions that a subscription tells of. */
export const openStatuses: Schema<readonly OpenStatus[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ oneOf('RECEIVED', 'CANDIDATE', 'PRE_CONFIRMED', 'ACCEPTED_ON_L2'),
)

/** `starknet_subscribeNewHeads`. */
export const starknet_subscribeNewHeads: Subscribe<{ readonly block_id?: Start }, readonly [block_id?: Start]> =
  /*#__PURE__*/ specOf(8, table.starknet_subscribeNewHeads, [closedBlockId_0_8], subscriptionId)

/** `starknet_subscribeTransactionStatus`. */
export const starknet_subscribeTransactionStatus: Subscribe<
  { readonly transaction_hash: Felt },
  readonly [transaction_hash: Felt]
> = /*#__PURE__*/ specOf(8, table.starknet_subscribeTransactionStatus, [feltSchema], subscriptionId)

/** `starknet_subscribePendingTransactions`. */
export const starknet_subscribePendingTransactions: Subscribe<
  { readonly transaction_details?: boolean; readonly sender_address?: readonly Felt[] },
  readonly [transaction_details?: boolean, sender_address?: readonly Felt[]]
> = /*#__PURE__*/ specOf(8, table.starknet_subscribePendingTransactions, [boolean, feltsSchema], subscriptionId)

/** `starknet_subscribeNewTransactionReceipts`. */
export const starknet_subscribeNewTransactionReceipts: Subscribe<
  { readonly finality_status?: readonly EventFinality[]; readonly sender_address?: readonly Felt[] },
  readonly [finality_status?: readonly EventFinality[], sender_address?: readonly Felt[]]
> = /*#__PURE__*/ specOf(
  9,
  table.starknet_subscribeNewTransactionReceipts,
  [/*#__PURE__*/ array(eventFinality), feltsSchema],
  subscriptionId,
)

/** `starknet_unsubscribe`. */
export const starknet_unsubscribe: StarknetMethodSpec<
  Params<{ readonly subscription_id: SubscriptionId }, readonly [subscription_id: SubscriptionId]>,
  boolean
> = /*#__PURE__*/ specOf(8, table.starknet_unsubscribe, [subscriptionId], boolean)
