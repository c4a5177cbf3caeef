import { choice, integer, object, optional, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { type Receipt, receiptSchema } from '../receipt.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** A transaction that a node signed; the members beyond `raw` differ between nodes. Source: execution-apis. */
export interface SignedTransaction {
  /** In its network form. */
  readonly raw: Hex
}

/** Sending signed transactions (a blob transaction with its blobs), and signing with keys that the node keeps. */
export interface SendingMethods {
  readonly eth_sendRawTransaction: {
    /** The signed transaction in its network form. */
    readonly params: readonly [transaction: Hex]
    /** Its hash. */
    readonly result: Hash
  }
  readonly eth_sendRawTransactionSync: {
    /** `timeoutMs`: the longest wait for the receipt, in ms; an integer. */
    readonly params: readonly [transaction: Hex, timeoutMs?: number]
    readonly result: Receipt
  }
  readonly eth_sendTransaction: {
    /** `from` is an account whose key the node keeps. */
    readonly params: readonly [transaction: TransactionCall]
    /** Its hash. */
    readonly result: Hash
  }
  readonly eth_signTransaction: {
    readonly params: readonly [transaction: TransactionCall]
    /** Only bytes on some nodes. */
    readonly result: SignedTransaction | Hex
  }
  readonly eth_sign: {
    readonly params: readonly [account: Address, data: Hex]
    /** A 65-byte signature over the data with the prefix of EIP-191. */
    readonly result: Hex
  }
}

type TransactionOnly = readonly [transaction: TransactionCall]

const transactionOnly: Schema<TransactionOnly> = /*#__PURE__*/ tuple<TransactionOnly>(transactionCallSchema)
const signedSchema: Schema<SignedTransaction> = /*#__PURE__*/ object<SignedTransaction>('a signed transaction', {
  raw: dataSchema,
})

/** `eth_sendRawTransaction`. Source: execution-apis. */
export const eth_sendRawTransaction: RuleTable<SendingMethods>['eth_sendRawTransaction'] = {
  params: /*#__PURE__*/ tuple<SendingMethods['eth_sendRawTransaction']['params']>(dataSchema),
  result: hashSchema,
  paramNames: ['transaction'],
  effect: 'write',
}

/** `eth_sendRawTransactionSync`. Source: EIP-7966. */
export const eth_sendRawTransactionSync: RuleTable<SendingMethods>['eth_sendRawTransactionSync'] = {
  params: /*#__PURE__*/ tuple<SendingMethods['eth_sendRawTransactionSync']['params']>(
    dataSchema,
    /*#__PURE__*/ optional(/*#__PURE__*/ integer('a time in ms, not negative', 0)),
  ),
  result: receiptSchema,
  paramNames: ['transaction', 'timeoutMs?'],
  effect: 'write',
}

/** `eth_sendTransaction`. Source: execution-apis. */
export const eth_sendTransaction: RuleTable<SendingMethods>['eth_sendTransaction'] = {
  params: transactionOnly,
  result: hashSchema,
  paramNames: ['transaction'],
  effect: 'write',
  addressPaths: ['0.from', '0.to', '0.authorizationList.address'],
}

/** `eth_signTransaction`. Source: execution-apis. */
export const eth_signTransaction: RuleTable<SendingMethods>['eth_signTransaction'] = {
  params: transactionOnly,
  result: /*#__PURE__*/ choice(
    'a signed transaction or its bytes',
    (value) => (typeof value === 'string' ? dataSchema : signedSchema),
    [dataSchema, signedSchema],
  ),
  paramNames: ['transaction'],
  effect: 'write',
  addressPaths: ['0.from', '0.to', '0.authorizationList.address'],
}

/** `eth_sign`. Source: execution-apis. */
export const eth_sign: RuleTable<SendingMethods>['eth_sign'] = {
  params: /*#__PURE__*/ tuple<SendingMethods['eth_sign']['params']>(addressSchema, dataSchema),
  result: dataSchema,
  paramNames: ['account', 'data'],
  effect: 'write',
  addressPaths: ['0'],
}
