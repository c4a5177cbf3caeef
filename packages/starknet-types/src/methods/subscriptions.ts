import { array, boolean, is, oneOf, optional, type OptionalSchema, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type BlockIdOf, closedBlockId_0_8 } from '../block-id.ts'
import type { StarknetErrorCode } from '../errors.ts'
import { eventKeysSchema } from '../event.ts'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import { type TransactionFlag, transactionFlags } from '../flags.ts'
import type { StarknetMethodSpec, StarknetSubscriptionFacts } from '../method-spec.ts'
import { named, type Params } from '../params.ts'
import type { Status_0_9 } from '../transaction-status.ts'

/** What ends a subscription: a text; some nodes of 0.8 gave a number. */
export type SubscriptionId = string | number

type From = BlockIdOf<'latest'>
type Keys = readonly (readonly Felt[])[]
type EventFinality = 'PRE_CONFIRMED' | 'ACCEPTED_ON_L2'
type OpenStatus = Exclude<Status_0_9, 'ACCEPTED_ON_L1'>

/** A method that opens a subscription. */
type Subscribe<Named extends object, Positional extends readonly unknown[]> = StarknetMethodSpec<
  Params<Named, Positional>,
  SubscriptionId
>

/** `starknet_subscribeNewHeads`. */
export type SubscribeNewHeads = Subscribe<{ readonly block_id?: From }, readonly [block_id?: From]>

/** `starknet_subscribeEvents` in 0.8. */
export type SubscribeEvents_0_8 = Subscribe<
  { readonly from_address?: Felt; readonly keys?: Keys; readonly block_id?: From },
  readonly [from_address?: Felt, keys?: Keys, block_id?: From]
>

/** `starknet_subscribeEvents` since 0.9. `A`: an address or, since 0.10, several. */
export type SubscribeEvents<A> = Subscribe<
  {
    readonly from_address?: A
    readonly keys?: Keys
    readonly block_id?: From
    readonly finality_status?: EventFinality
  },
  readonly [from_address?: A, keys?: Keys, block_id?: From, finality_status?: EventFinality]
>

/** `starknet_subscribeTransactionStatus`. */
export type SubscribeTransactionStatus = Subscribe<
  { readonly transaction_hash: Felt },
  readonly [transaction_hash: Felt]
>

/** `starknet_subscribePendingTransactions`, in 0.8 alone. */
export type SubscribePendingTransactions = Subscribe<
  { readonly transaction_details?: boolean; readonly sender_address?: readonly Felt[] },
  readonly [transaction_details?: boolean, sender_address?: readonly Felt[]]
>

/** `starknet_subscribeNewTransactionReceipts`, since 0.9. */
export type SubscribeReceipts = Subscribe<
  { readonly finality_status?: readonly EventFinality[]; readonly sender_address?: readonly Felt[] },
  readonly [finality_status?: readonly EventFinality[], sender_address?: readonly Felt[]]
>

/** `starknet_subscribeNewTransactions` in 0.9. */
export type SubscribeTransactions_0_9 = Subscribe<
  { readonly finality_status?: readonly OpenStatus[]; readonly sender_address?: readonly Felt[] },
  readonly [finality_status?: readonly OpenStatus[], sender_address?: readonly Felt[]]
>

/** `starknet_subscribeNewTransactions` in 0.10. */
export type SubscribeTransactions = Subscribe<
  {
    readonly finality_status?: readonly OpenStatus[]
    readonly sender_address?: readonly Felt[]
    readonly tags?: readonly TransactionFlag[]
  },
  readonly [
    finality_status?: readonly OpenStatus[],
    sender_address?: readonly Felt[],
    tags?: readonly TransactionFlag[],
  ]
>

/** `starknet_unsubscribe`. */
export type Unsubscribe = StarknetMethodSpec<
  Params<{ readonly subscription_id: SubscriptionId }, readonly [subscription_id: SubscriptionId]>,
  boolean
>

const from = (): { readonly block_id: OptionalSchema<From> } => ({ block_id: optional(closedBlockId_0_8) })
const finality = (): Schema<EventFinality> => oneOf('PRE_CONFIRMED', 'ACCEPTED_ON_L2')
const openStatuses = (): Schema<readonly OpenStatus[]> =>
  array(oneOf('RECEIVED', 'CANDIDATE', 'PRE_CONFIRMED', 'ACCEPTED_ON_L2'))

/** `starknet_subscribeNewHeads`. */
export function subscribeNewHeads(): SubscribeNewHeads {
  return {
    ...opened('New headers, from a block on.', 'NewHeads', [68, 24]),
    ...named<{ readonly block_id?: From }, readonly [block_id?: From]>(from()),
  }
}

/** `starknet_subscribeEvents` in 0.8. */
export function subscribeEvents_0_8(): SubscribeEvents_0_8 {
  return {
    ...opened('New events that match a filter.', 'Events', [34, 68, 24]),
    ...named<
      { readonly from_address?: Felt; readonly keys?: Keys; readonly block_id?: From },
      readonly [from_address?: Felt, keys?: Keys, block_id?: From]
    >({ from_address: optional(feltSchema), keys: optional(eventKeysSchema), ...from() }),
    addressPaths: ['0'],
  }
}

/** `starknet_subscribeEvents` since 0.9. */
export function subscribeEvents<A>(address: Schema<A>): SubscribeEvents<A> {
  return {
    ...opened('New events that match a filter.', 'Events', [34, 68, 24]),
    ...named<
      {
        readonly from_address?: A
        readonly keys?: Keys
        readonly block_id?: From
        readonly finality_status?: EventFinality
      },
      readonly [from_address?: A, keys?: Keys, block_id?: From, finality_status?: EventFinality]
    >({
      from_address: optional(address as Schema<Exclude<A, undefined>>),
      keys: optional(eventKeysSchema),
      ...from(),
      finality_status: optional(finality()),
    }),
    addressPaths: ['0'],
  }
}

/** `starknet_subscribeTransactionStatus`. */
export function subscribeTransactionStatus(): SubscribeTransactionStatus {
  return {
    ...opened('How far a transaction has come, at each step.', 'TransactionStatus', []),
    ...named<{ readonly transaction_hash: Felt }, readonly [transaction_hash: Felt]>({ transaction_hash: feltSchema }),
  }
}

/** `starknet_subscribePendingTransactions`. */
export function subscribePendingTransactions(): SubscribePendingTransactions {
  return {
    ...opened('Transactions that come into the pending block.', 'PendingTransactions', [67], false),
    ...named<
      { readonly transaction_details?: boolean; readonly sender_address?: readonly Felt[] },
      readonly [transaction_details?: boolean, sender_address?: readonly Felt[]]
    >({ transaction_details: optional(boolean), sender_address: optional(feltsSchema) }),
    addressPaths: ['1'],
  }
}

/** `starknet_subscribeNewTransactionReceipts`. */
export function subscribeReceipts(): SubscribeReceipts {
  return {
    ...opened('New receipts.', 'NewTransactionReceipts', [67]),
    ...named<
      { readonly finality_status?: readonly EventFinality[]; readonly sender_address?: readonly Felt[] },
      readonly [finality_status?: readonly EventFinality[], sender_address?: readonly Felt[]]
    >({ finality_status: optional(array(finality())), sender_address: optional(feltsSchema) }),
    addressPaths: ['1'],
  }
}

/** `starknet_subscribeNewTransactions` in 0.9. */
export function subscribeTransactions_0_9(): SubscribeTransactions_0_9 {
  return {
    ...opened('New transactions.', 'NewTransaction', [67]),
    ...named<
      { readonly finality_status?: readonly OpenStatus[]; readonly sender_address?: readonly Felt[] },
      readonly [finality_status?: readonly OpenStatus[], sender_address?: readonly Felt[]]
    >({ finality_status: optional(openStatuses()), sender_address: optional(feltsSchema) }),
    addressPaths: ['1'],
  }
}

/** `starknet_subscribeNewTransactions` in 0.10. */
export function subscribeTransactions(): SubscribeTransactions {
  return {
    ...opened('New transactions.', 'NewTransaction', [67]),
    ...named<
      {
        readonly finality_status?: readonly OpenStatus[]
        readonly sender_address?: readonly Felt[]
        readonly tags?: readonly TransactionFlag[]
      },
      readonly [
        finality_status?: readonly OpenStatus[],
        sender_address?: readonly Felt[],
        tags?: readonly TransactionFlag[],
      ]
    >({
      finality_status: optional(openStatuses()),
      sender_address: optional(feltsSchema),
      tags: optional(transactionFlags),
    }),
    addressPaths: ['1'],
  }
}

/** `starknet_unsubscribe`. */
export function unsubscribe(): Unsubscribe {
  return {
    ...session,
    summary: 'Ends a subscription.',
    ...named<{ readonly subscription_id: SubscriptionId }, readonly [subscription_id: SubscriptionId]>({
      subscription_id: subscriptionId,
    }),
    result: boolean,
    errors: [66],
  }
}

const session = { source: 'starknet-specs', effect: 'session' } as const

const subscriptionId: Schema<SubscriptionId> = /*#__PURE__*/ is(
  'a subscription id',
  (value) => typeof value === 'string' || Number.isSafeInteger(value),
)

function opened(
  summary: string,
  event: string,
  errors: readonly StarknetErrorCode[],
  reorg = true,
): Omit<Subscribe<object, readonly unknown[]>, 'params' | 'paramNames'> {
  const subscription: StarknetSubscriptionFacts = {
    unsubscribe: 'starknet_unsubscribe',
    event: `starknet_subscription${event}`,
    ...(reorg && { reorg: 'starknet_subscriptionReorg' }),
  }
  return { ...session, summary, subscription, result: subscriptionId, errors }
}
