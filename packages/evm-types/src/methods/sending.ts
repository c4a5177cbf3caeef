import { integer, type MethodTable, optional, tuple } from '@wayleave/jsonrpc-core/schema'
import { dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { type Receipt, receiptSchema } from '../receipt.ts'

/** Sending signed transactions; a blob transaction with its blobs. */
export interface SendingMethods {
  readonly eth_sendRawTransaction: {
    /** The signed transaction as it goes over the network. */
    readonly params: readonly [transaction: Hex]
    /** Its hash. */
    readonly result: Hash
  }
  readonly eth_sendRawTransactionSync: {
    /** How long to wait for the receipt, in ms: an integer. */
    readonly params: readonly [transaction: Hex, timeoutMs?: number]
    readonly result: Receipt
  }
}

/** `eth_sendRawTransaction`. Source: execution-apis. */
export const eth_sendRawTransaction: MethodTable<SendingMethods>['eth_sendRawTransaction'] = {
  summary: 'Submits a signed transaction.',
  source: 'execution-apis eth_sendRawTransaction',
  params: /*#__PURE__*/ tuple<SendingMethods['eth_sendRawTransaction']['params']>(dataSchema),
  result: hashSchema,
  paramNames: ['transaction'],
  effect: 'write',
}

/** `eth_sendRawTransactionSync`. Source: EIP-7966. */
export const eth_sendRawTransactionSync: MethodTable<SendingMethods>['eth_sendRawTransactionSync'] = {
  summary: 'Submits a signed transaction and waits for its receipt.',
  source: 'EIP-7966',
  params: /*#__PURE__*/ tuple<SendingMethods['eth_sendRawTransactionSync']['params']>(
    dataSchema,
    /*#__PURE__*/ optional(/*#__PURE__*/ integer('a time in ms, not negative', 0)),
  ),
  result: receiptSchema,
  paramNames: ['transaction', 'timeoutMs?'],
  effect: 'write',
}
