import {
  anything,
  array,
  boolean,
  choice,
  is,
  object,
  type ObjectShape,
  oneOf,
  optional,
  type RuleTable,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema } from '../data.ts'
import { type LogSubscriptionFilter, logSubscriptionShape } from '../log-filter.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'

/** The place from which a subscription tells; default: from its beginning on. A node may ignore it. */
export type EventStart =
  | { readonly fromBlock?: never; readonly fromHash?: never }
  /** The first block to tell. */
  | { readonly fromBlock: Quantity; readonly fromHash?: never }
  /** The last block that was told: the blocks after it are told, and those that replaced it. */
  | { readonly fromHash: Hash; readonly fromBlock?: never }

/** The argument of `transactionReceipts`: only those of these transactions. Source: go-ethereum. */
export interface ReceiptsFilter {
  /** At most 200. */
  readonly transactionHashes?: readonly Hash[]
}

/** New block headers. */
export type NewHeadsParams = readonly [kind: 'newHeads', start?: EventStart]
/** Logs of new blocks; all of them if the filter is empty. */
export type LogsParams = readonly [kind: 'logs', filter: LogSubscriptionFilter & EventStart]
/** Receipts of new blocks. */
export type TransactionReceiptsParams = readonly [kind: 'transactionReceipts', filter?: ReceiptsFilter]
/** Changes of whether the node is syncing. */
export type SyncingParams = readonly [kind: 'syncing']
/** Pending transactions: hashes, or whole transactions with `true`. */
export type NewPendingTransactionsParams = readonly [kind: 'newPendingTransactions', full?: boolean]

/** Subscriptions, over connections that the server can push to. */
export interface SubscriptionMethods {
  readonly eth_subscribe: {
    readonly params:
      | NewHeadsParams
      | LogsParams
      | TransactionReceiptsParams
      | SyncingParams
      | NewPendingTransactionsParams
    /** The subscription's id, which its notifications carry. */
    readonly result: string
  }
  readonly eth_unsubscribe: {
    readonly params: readonly [id: string]
    readonly result: boolean
  }
}

const id = text('a subscription id', /^.+$/)

const never = (expected: string) =>
  optional(
    is<never>(
      expected,
      () => false,
      () => ({ not: {} }),
    ),
  )

/** An object with a place to begin at: by number, or by hash, or none. */
function withStart<T extends object>(expected: string, rest: ObjectShape<T>): Schema<T & EventStart> {
  const fromNumber = { fromBlock: optional(quantitySchema), fromHash: never('no fromHash') }
  const fromHash = { fromHash: hashSchema, fromBlock: never('no fromBlock beside fromHash') }
  const [byNumber, byHash] = [fromNumber, fromHash].map((start) =>
    object<T & EventStart>(expected, { ...rest, ...start } as unknown as ObjectShape<T & EventStart>, { closed: true }),
  ) as [Schema<T & EventStart>, Schema<T & EventStart>]
  return choice(expected, (value) => ((Object(value) as EventStart).fromHash === undefined ? byNumber : byHash), [
    byNumber,
    byHash,
  ])
}

const receiptsFilterSchema: Schema<ReceiptsFilter> = object<ReceiptsFilter>(
  'a filter of receipts',
  { transactionHashes: optional(array(hashSchema)) },
  { closed: true },
)

const byKind: Readonly<Record<string, { check: Schema<never>['check'] }>> = {
  newHeads: tuple<NewHeadsParams>(oneOf('newHeads'), optional(withStart<object>('a place to begin', {}))),
  logs: tuple<LogsParams>(oneOf('logs'), withStart('a log filter', logSubscriptionShape)),
  transactionReceipts: tuple<TransactionReceiptsParams>(oneOf('transactionReceipts'), optional(receiptsFilterSchema)),
  syncing: tuple<SyncingParams>(oneOf('syncing')),
  newPendingTransactions: tuple<NewPendingTransactionsParams>(oneOf('newPendingTransactions'), optional(boolean)),
}
const anyKind = tuple<readonly [kind: string, argument?: unknown]>(oneOf(...Object.keys(byKind)), optional(anything))

/** `eth_subscribe`. */
export const eth_subscribe: RuleTable<SubscriptionMethods>['eth_subscribe'] = {
  params: {
    ...choice('an array of a subscription kind and its argument', (value) => {
      const kind: unknown = Array.isArray(value) ? value[0] : undefined
      return typeof kind === 'string' && Object.hasOwn(byKind, kind) ? byKind[kind] : anyKind
    }),
    json: (of) => of(anyKind),
  },
  result: id,
  paramNames: ['kind', 'argument?'],
  effect: 'session',
  addressPaths: ['1.address'],
  subscription: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' },
}

/** `eth_unsubscribe`. */
export const eth_unsubscribe: RuleTable<SubscriptionMethods>['eth_unsubscribe'] = {
  params: tuple<SubscriptionMethods['eth_unsubscribe']['params']>(id),
  result: boolean,
  paramNames: ['id'],
  effect: 'session',
}
