import { array, nullable, type RuleTable, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema } from '../data.ts'
import { type LogFilter, logFilterSchema } from '../log-filter.ts'
import { type Log, logSchema, type Receipt, receiptSchema } from '../receipt.ts'
import { type ReceiptsBlockParameter, receiptsBlockParameterSchema } from '../receipts-block.ts'

/** Receipts and logs. */
export interface ReceiptMethods {
  readonly eth_getBlockReceipts: {
    /** `pending` means `latest` here. */
    readonly params: readonly [block: ReceiptsBlockParameter]
    /** In transaction order; null where there is no such block. */
    readonly result: readonly Receipt[] | null
  }
  readonly eth_getTransactionReceipt: {
    readonly params: readonly [transactionHash: Hash]
    /** Null until it is mined. */
    readonly result: Receipt | null
  }
  readonly eth_getLogs: {
    readonly params: readonly [filter: LogFilter]
    readonly result: readonly Log[]
  }
}

/** `eth_getBlockReceipts`. Source: Spec §4.6. */
export const eth_getBlockReceipts: RuleTable<ReceiptMethods>['eth_getBlockReceipts'] = {
  params: /*#__PURE__*/ tuple<ReceiptMethods['eth_getBlockReceipts']['params']>(receiptsBlockParameterSchema),
  result: /*#__PURE__*/ nullable(/*#__PURE__*/ array(receiptSchema)),
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getTransactionReceipt`. Source: execution-apis. */
export const eth_getTransactionReceipt: RuleTable<ReceiptMethods>['eth_getTransactionReceipt'] = {
  params: /*#__PURE__*/ tuple<ReceiptMethods['eth_getTransactionReceipt']['params']>(hashSchema),
  result: /*#__PURE__*/ nullable(receiptSchema),
  paramNames: ['transactionHash'],
  effect: 'read',
  cache: 'result',
}

/** `eth_getLogs`. Source: execution-apis. */
export const eth_getLogs: RuleTable<ReceiptMethods>['eth_getLogs'] = {
  params: /*#__PURE__*/ tuple<ReceiptMethods['eth_getLogs']['params']>(logFilterSchema),
  result: /*#__PURE__*/ array(logSchema),
  paramNames: ['filter'],
  effect: 'read',
  cache: 'range',
  addressPaths: ['0.address'],
}
