import { choice, integer, object, record, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { type Transaction, transactionSchema } from '../transaction.ts'
import { noParams } from '../no-params.ts'

/** Transactions by nonce, in decimal. */
type ByNonce = Readonly<Record<string, Transaction>>

/** A pool's transactions: those that can be mined now, and those that wait for others. */
interface Pool<T> {
  readonly pending: T
  readonly queued: T
}

/** The transactions in a node's pool. Behind a pool of nodes, the one of whichever node answered. */
export interface TxpoolMethods {
  /** Plain numbers on some nodes. */
  readonly txpool_status: { readonly params: readonly []; readonly result: Pool<Quantity | number> }
  /** By sender. */
  readonly txpool_content: { readonly params: readonly []; readonly result: Pool<Readonly<Record<string, ByNonce>>> }
  readonly txpool_contentFrom: { readonly params: readonly [sender: Address]; readonly result: Pool<ByNonce> }
}

const integerSchema: Schema<number> = /*#__PURE__*/ integer('an integer, not negative', 0)
const countSchema: Schema<Quantity | number> = /*#__PURE__*/ choice(
  'a count',
  (value) => (typeof value === 'number' ? integerSchema : quantitySchema),
  [integerSchema, quantitySchema],
)
const byNonce: Schema<ByNonce> = /*#__PURE__*/ record(transactionSchema)

function pool<T>(schema: Schema<T>): Schema<Pool<T>> {
  const shape: object = { pending: schema, queued: schema }
  return object<Pool<T>>('a pool of transactions', shape as Parameters<typeof object<Pool<T>>>[1])
}

/** `txpool_status`. Source: execution-apis. */
export const txpool_status: RuleTable<TxpoolMethods>['txpool_status'] = {
  params: noParams,
  result: /*#__PURE__*/ pool(countSchema),
  paramNames: [],
  effect: 'read',
}

/** `txpool_content`. Source: execution-apis. */
export const txpool_content: RuleTable<TxpoolMethods>['txpool_content'] = {
  params: noParams,
  result: /*#__PURE__*/ pool(/*#__PURE__*/ record(byNonce)),
  paramNames: [],
  effect: 'read',
}

/** `txpool_contentFrom`. Source: execution-apis. */
export const txpool_contentFrom: RuleTable<TxpoolMethods>['txpool_contentFrom'] = {
  params: /*#__PURE__*/ tuple<TxpoolMethods['txpool_contentFrom']['params']>(addressSchema),
  result: /*#__PURE__*/ pool(byNonce),
  paramNames: ['sender'],
  effect: 'read',
  addressPaths: ['0'],
}
