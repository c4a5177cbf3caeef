import type { BlockHeader } from './block.ts'
import type { EmittedEvent } from './event.ts'
import type { Felt } from './felt.ts'
import type { SubscriptionId } from './methods/subscriptions.ts'
import type { ReceiptWithBlockInfo } from './receipt.ts'
import type { Finality_0_9, Status_0_5, Status_0_9, TransactionStatus } from './transaction-status.ts'
import type { TransactionWithHash } from './transaction.ts'

/** The params of a notification. */
export interface NotificationOf<R> {
  readonly subscription_id: SubscriptionId
  readonly result: R
}

/** Blocks that are no longer part of the chain. Source: Starknet RPC 0.8, `REORG_DATA`. */
export interface Reorg {
  readonly starting_block_hash: Felt
  readonly starting_block_number: number
  readonly ending_block_hash: Felt
  readonly ending_block_number: number
}

interface StatusChange<S> {
  readonly transaction_hash: Felt
  readonly status: TransactionStatus<S>
}

interface Since<V extends '0.9' | '0.10'> {
  readonly starknet_subscriptionNewHeads: BlockHeader<V>
  readonly starknet_subscriptionEvents: EmittedEvent<V> & { readonly finality_status: Finality_0_9 }
  readonly starknet_subscriptionTransactionStatus: StatusChange<Status_0_9>
  readonly starknet_subscriptionNewTransactionReceipts: ReceiptWithBlockInfo<V>
  readonly starknet_subscriptionNewTransaction: TransactionWithHash<V> & { readonly finality_status: Status_0_9 }
  readonly starknet_subscriptionReorg: Reorg
}

interface Notifications {
  readonly '0.8': {
    readonly starknet_subscriptionNewHeads: BlockHeader<'0.8'>
    readonly starknet_subscriptionEvents: EmittedEvent<'0.8'>
    readonly starknet_subscriptionTransactionStatus: StatusChange<Status_0_5>
    readonly starknet_subscriptionPendingTransactions: Felt | TransactionWithHash<'0.8'>
    readonly starknet_subscriptionReorg: Reorg
  }
  readonly '0.9': Since<'0.9'>
  readonly '0.10': Since<'0.10'>
}

/** The `result` of each notification of a version; its params are a `NotificationOf` it. Since 0.8. */
export type StarknetNotifications<V extends keyof Notifications = keyof Notifications> = Notifications[V]
