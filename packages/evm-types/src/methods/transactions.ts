import { type MethodTable, nullable, tuple } from '@wayleave/jsonrpc-core/schema'
import { dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { indexSchema, type Quantity } from '../quantity.ts'
import { type Transaction, transactionSchema } from '../transaction.ts'

/** Transactions; null where there is none. */
export interface TransactionMethods {
  readonly eth_getTransactionByHash: {
    readonly params: readonly [hash: Hash]
    readonly result: Transaction | null
  }
  readonly eth_getTransactionByBlockHashAndIndex: {
    readonly params: readonly [blockHash: Hash, index: Quantity]
    readonly result: Transaction | null
  }
  readonly eth_sendRawTransaction: {
    /** The signed transaction as it goes over the network; a blob transaction with its blobs. */
    readonly params: readonly [transaction: Hex]
    /** Its hash. */
    readonly result: Hash
  }
}

/** `eth_getTransactionByHash`. Source: Spec §4.5. */
export const eth_getTransactionByHash: MethodTable<TransactionMethods>['eth_getTransactionByHash'] = {
  summary: 'A transaction by its hash.',
  source: 'Spec §4.5',
  params: tuple<TransactionMethods['eth_getTransactionByHash']['params']>(hashSchema),
  result: nullable(transactionSchema),
  effect: 'read',
}

/** `eth_getTransactionByBlockHashAndIndex`. Source: Spec §4.4. */
export const eth_getTransactionByBlockHashAndIndex: MethodTable<TransactionMethods>['eth_getTransactionByBlockHashAndIndex'] =
  {
    summary: 'A transaction by its position in a block.',
    source: 'Spec §4.4',
    params: tuple<TransactionMethods['eth_getTransactionByBlockHashAndIndex']['params']>(hashSchema, indexSchema),
    result: nullable(transactionSchema),
    effect: 'read',
  }

/** `eth_sendRawTransaction`. Source: execution-apis. */
export const eth_sendRawTransaction: MethodTable<TransactionMethods>['eth_sendRawTransaction'] = {
  summary: 'Submits a signed transaction.',
  source: 'execution-apis eth_sendRawTransaction',
  params: tuple<TransactionMethods['eth_sendRawTransaction']['params']>(dataSchema),
  result: hashSchema,
  effect: 'write',
}
