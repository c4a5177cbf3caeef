import { array, nullable, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { indexSchema, type Quantity } from '../quantity.ts'
import { type Transaction, transactionSchema } from '../transaction.ts'
import { noParams } from '../no-params.ts'

/** Transactions; null if there is none. */
export interface TransactionMethods {
  readonly eth_getTransactionByHash: {
    readonly params: readonly [hash: Hash]
    readonly result: Transaction | null
  }
  readonly eth_getTransactionByBlockHashAndIndex: {
    readonly params: readonly [blockHash: Hash, index: Quantity]
    readonly result: Transaction | null
  }
  readonly eth_getTransactionByBlockNumberAndIndex: {
    readonly params: readonly [block: BlockNumberOrTag, index: Quantity]
    readonly result: Transaction | null
  }
  readonly eth_getTransactionBySenderAndNonce: {
    readonly params: readonly [sender: Address, nonce: Quantity]
    readonly result: Transaction | null
  }
  readonly eth_getRawTransactionByBlockHashAndIndex: {
    readonly params: readonly [blockHash: Hash, index: Quantity]
    /** `0x` on some nodes if there is none. */
    readonly result: Hex | null
  }
  readonly eth_getRawTransactionByBlockNumberAndIndex: {
    readonly params: readonly [block: BlockNumberOrTag, index: Quantity]
    /** `0x` on some nodes if there is none. */
    readonly result: Hex | null
  }
  readonly eth_getRawTransactionByHash: {
    readonly params: readonly [hash: Hash]
    /** `0x` on some nodes if there is none. */
    readonly result: Hex | null
  }
  /** Only those of accounts whose keys the node keeps. */
  readonly eth_pendingTransactions: { readonly params: readonly []; readonly result: readonly Transaction[] }
}

type ByHash = readonly [blockHash: Hash, index: Quantity]
type ByNumber = readonly [block: BlockNumberOrTag, index: Quantity]

const byHash: Schema<ByHash> = /*#__PURE__*/ tuple<ByHash>(hashSchema, indexSchema)
const byNumber: Schema<ByNumber> = /*#__PURE__*/ tuple<ByNumber>(blockNumberOrTagSchema, indexSchema)
const transactionOrNull: Schema<Transaction | null> = /*#__PURE__*/ nullable(transactionSchema)
const rawOrNull: Schema<Hex | null> = /*#__PURE__*/ nullable(dataSchema)

/** `eth_getTransactionByHash`. Source: Spec §4.5. */
export const eth_getTransactionByHash: RuleTable<TransactionMethods>['eth_getTransactionByHash'] = {
  params: /*#__PURE__*/ tuple<TransactionMethods['eth_getTransactionByHash']['params']>(hashSchema),
  result: transactionOrNull,
  paramNames: ['hash'],
  effect: 'read',
  cache: 'result',
}

/** `eth_getTransactionByBlockHashAndIndex`. Source: Spec §4.4. */
export const eth_getTransactionByBlockHashAndIndex: RuleTable<TransactionMethods>['eth_getTransactionByBlockHashAndIndex'] =
  {
    params: byHash,
    result: transactionOrNull,
    paramNames: ['blockHash', 'index'],
    effect: 'read',
    cache: 'fixed',
  }

/** `eth_getTransactionByBlockNumberAndIndex`. Source: execution-apis. */
export const eth_getTransactionByBlockNumberAndIndex: RuleTable<TransactionMethods>['eth_getTransactionByBlockNumberAndIndex'] =
  {
    params: byNumber,
    result: transactionOrNull,
    paramNames: ['block', 'index'],
    effect: 'read',
    blockParam: 0,
    cache: 'block',
  }

/** `eth_getTransactionBySenderAndNonce`. Source: erigon eth_getTransactionBySenderAndNonce. */
export const eth_getTransactionBySenderAndNonce: RuleTable<TransactionMethods>['eth_getTransactionBySenderAndNonce'] = {
  params: /*#__PURE__*/ tuple<TransactionMethods['eth_getTransactionBySenderAndNonce']['params']>(
    addressSchema,
    indexSchema,
  ),
  result: transactionOrNull,
  paramNames: ['sender', 'nonce'],
  effect: 'read',
  cache: 'result',
  addressPaths: ['0'],
}

/** `eth_getRawTransactionByHash`. Source: go-ethereum eth_getRawTransactionByHash. */
export const eth_getRawTransactionByHash: RuleTable<TransactionMethods>['eth_getRawTransactionByHash'] = {
  params: /*#__PURE__*/ tuple<TransactionMethods['eth_getRawTransactionByHash']['params']>(hashSchema),
  result: rawOrNull,
  paramNames: ['hash'],
  effect: 'read',
  // Not fixed: a pending blob transaction comes with its blobs.
  cache: 'head',
}

/** `eth_getRawTransactionByBlockHashAndIndex`. Source: go-ethereum. */
export const eth_getRawTransactionByBlockHashAndIndex: RuleTable<TransactionMethods>['eth_getRawTransactionByBlockHashAndIndex'] =
  {
    params: byHash,
    result: rawOrNull,
    paramNames: ['blockHash', 'index'],
    effect: 'read',
    cache: 'fixed',
  }

/** `eth_getRawTransactionByBlockNumberAndIndex`. Source: go-ethereum. */
export const eth_getRawTransactionByBlockNumberAndIndex: RuleTable<TransactionMethods>['eth_getRawTransactionByBlockNumberAndIndex'] =
  {
    params: byNumber,
    result: rawOrNull,
    paramNames: ['block', 'index'],
    effect: 'read',
    blockParam: 0,
    cache: 'block',
  }

/** `eth_pendingTransactions`. Source: go-ethereum eth_pendingTransactions. */
export const eth_pendingTransactions: RuleTable<TransactionMethods>['eth_pendingTransactions'] = {
  params: noParams,
  result: /*#__PURE__*/ array(transactionSchema),
  paramNames: [],
  effect: 'read',
}
