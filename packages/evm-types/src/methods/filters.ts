import {
  array,
  boolean,
  choice,
  optional,
  type RuleTable,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema } from '../data.ts'
import { type LogFilter, logFilterSchema } from '../log-filter.ts'
import { type Log, logSchema } from '../receipt.ts'
import { type Transaction, transactionSchema } from '../transaction.ts'
import { noParams } from '../no-params.ts'

/**
 * Filters that a node keeps, and drops if nobody polls for some minutes. An id is valid on one node only, and polling
 * consumes the changes, so all of them count as writes: sent once, to one node.
 */
export interface FilterMethods {
  readonly eth_newFilter: { readonly params: readonly [filter: LogFilter]; readonly result: string }
  readonly eth_newBlockFilter: { readonly params: readonly []; readonly result: string }
  readonly eth_newPendingTransactionFilter: {
    /** True for whole transactions instead of hashes. */
    readonly params: readonly [full?: boolean]
    readonly result: string
  }
  readonly eth_getFilterChanges: {
    readonly params: readonly [id: string]
    /** Changes since the last poll: logs, block hashes, or pending transactions or their hashes, by the kind of filter. */
    readonly result: readonly (Log | Hash | Transaction)[]
  }
  readonly eth_getFilterLogs: {
    readonly params: readonly [id: string]
    /** All matching logs. */
    readonly result: readonly Log[]
  }
  readonly eth_uninstallFilter: {
    readonly params: readonly [id: string]
    /** Whether the filter existed. */
    readonly result: boolean
  }
}

/** The node's own id: hex on most nodes, with leading zeros on some. */
const id: Schema<string> = /*#__PURE__*/ text('a filter id', /^.+$/)

const changeSchema: Schema<Log | Hash | Transaction> = /*#__PURE__*/ choice(
  'a log, a hash or a transaction',
  (value) => {
    if (typeof value === 'string') return hashSchema
    return typeof value === 'object' && value !== null && 'topics' in value ? logSchema : transactionSchema
  },
  [logSchema, hashSchema, transactionSchema],
)

/** `eth_newFilter`. Source: execution-apis. */
export const eth_newFilter: RuleTable<FilterMethods>['eth_newFilter'] = {
  params: /*#__PURE__*/ tuple<FilterMethods['eth_newFilter']['params']>(logFilterSchema),
  result: id,
  paramNames: ['filter'],
  effect: 'write',
  addressPaths: ['0.address'],
}

/** `eth_newBlockFilter`. Source: execution-apis. */
export const eth_newBlockFilter: RuleTable<FilterMethods>['eth_newBlockFilter'] = {
  params: noParams,
  result: id,
  paramNames: [],
  effect: 'write',
}

/** `eth_newPendingTransactionFilter`. Source: execution-apis. */
export const eth_newPendingTransactionFilter: RuleTable<FilterMethods>['eth_newPendingTransactionFilter'] = {
  params: /*#__PURE__*/ tuple<FilterMethods['eth_newPendingTransactionFilter']['params']>(
    /*#__PURE__*/ optional(boolean),
  ),
  result: id,
  paramNames: ['full?'],
  effect: 'write',
}

/** `eth_getFilterChanges`. Source: execution-apis. */
export const eth_getFilterChanges: RuleTable<FilterMethods>['eth_getFilterChanges'] = {
  params: /*#__PURE__*/ tuple<FilterMethods['eth_getFilterChanges']['params']>(id),
  result: /*#__PURE__*/ array(changeSchema),
  paramNames: ['id'],
  effect: 'write',
}

/** `eth_getFilterLogs`. Source: execution-apis. */
export const eth_getFilterLogs: RuleTable<FilterMethods>['eth_getFilterLogs'] = {
  params: /*#__PURE__*/ tuple<FilterMethods['eth_getFilterLogs']['params']>(id),
  result: /*#__PURE__*/ array(logSchema),
  paramNames: ['id'],
  effect: 'write',
}

/** `eth_uninstallFilter`. Source: execution-apis. */
export const eth_uninstallFilter: RuleTable<FilterMethods>['eth_uninstallFilter'] = {
  params: /*#__PURE__*/ tuple<FilterMethods['eth_uninstallFilter']['params']>(id),
  result: boolean,
  paramNames: ['id'],
  effect: 'write',
}
