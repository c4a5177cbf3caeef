import {
  anything,
  boolean,
  choice,
  type MethodTable,
  oneOf,
  optional,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type LogSubscriptionFilter, logSubscriptionFilterSchema } from '../log-filter.ts'

/** New block headers. */
export type NewHeadsParams = readonly [kind: 'newHeads']
/** Logs of new blocks; all of them if the filter is empty. */
export type LogsParams = readonly [kind: 'logs', filter: LogSubscriptionFilter]
/** Pending transactions: hashes, or whole transactions with `true`. */
export type NewPendingTransactionsParams = readonly [kind: 'newPendingTransactions', full?: boolean]

/** Subscriptions, over connections that the server can push to. */
export interface SubscriptionMethods {
  readonly eth_subscribe: {
    readonly params: NewHeadsParams | LogsParams | NewPendingTransactionsParams
    /** The subscription's id, which its notifications carry. */
    readonly result: string
  }
  readonly eth_unsubscribe: {
    readonly params: readonly [id: string]
    readonly result: boolean
  }
}

const id = text('a subscription id', /^.+$/)

const byKind: Readonly<Record<string, { check: Schema<never>['check'] }>> = {
  newHeads: tuple<NewHeadsParams>(oneOf('newHeads')),
  logs: tuple<LogsParams>(oneOf('logs'), logSubscriptionFilterSchema),
  newPendingTransactions: tuple<NewPendingTransactionsParams>(oneOf('newPendingTransactions'), optional(boolean)),
}
const anyKind = tuple<readonly [kind: string, argument?: unknown]>(oneOf(...Object.keys(byKind)), optional(anything))

/** `eth_subscribe`. */
export const eth_subscribe: MethodTable<SubscriptionMethods>['eth_subscribe'] = {
  summary: 'Opens a subscription to new heads, logs or pending transactions.',
  source: 'go-ethereum',
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
export const eth_unsubscribe: MethodTable<SubscriptionMethods>['eth_unsubscribe'] = {
  summary: 'Ends a subscription.',
  source: 'go-ethereum',
  params: tuple<SubscriptionMethods['eth_unsubscribe']['params']>(id),
  result: boolean,
  paramNames: ['id'],
  effect: 'session',
}
