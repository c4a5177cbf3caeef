import {
  type EventStart,
  evmRules,
  type EvmSchema,
  type Hash,
  type Header,
  type Log,
  type LogSubscriptionFilter,
  type Receipt,
  type ReceiptsFilter,
  type Transaction,
} from '@wayleave/evm-types'
import { assertValid } from '@wayleave/jsonrpc-core/schema'

/** Kind and argument of a subscription. */
export type SubscriptionParams =
  | readonly [kind: 'newHeads', start?: EventStart]
  | readonly [kind: 'logs', filter: LogSubscriptionFilter & EventStart]
  | readonly [kind: 'transactionReceipts', filter?: ReceiptsFilter]
  | readonly [kind: 'newPendingTransactions', full?: boolean]
  | readonly [kind: 'syncing']

/** The event of `syncing`: false, or in geth's form how far the node is; other nodes may say true. */
export type SyncingEvent = boolean | { readonly syncing: boolean; readonly status: Readonly<Record<string, unknown>> }

/**
 * The event of a subscription: a header, a log (`removed: true` takes one back), the receipts of a block, a pending transaction's
 * hash, with `true` the whole, or whether the node is syncing. Typed, not checked.
 */
export type EventOf<P extends SubscriptionParams> = P extends readonly ['newHeads', ...unknown[]]
  ? Header
  : P extends readonly ['logs', ...unknown[]]
    ? Log
    : P extends readonly ['transactionReceipts', ...unknown[]]
      ? readonly Receipt[]
      : P extends readonly ['syncing']
        ? SyncingEvent
        : P extends readonly ['newPendingTransactions', true]
          ? Transaction
          : P extends readonly ['newPendingTransactions'] | readonly ['newPendingTransactions', false]
            ? Hash
            : Hash | Transaction

/** Checks a subscription before it is sent. @throws SchemaError */
export function assertSubscription(params: SubscriptionParams): void {
  assertValid(evmRules.eth_subscribe.params, params as EvmSchema['eth_subscribe']['params'], 'eth_subscribe params')
}
