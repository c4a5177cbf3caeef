import { openRpcDocument, type OpenRpcDocument } from '@wayleave/jsonrpc-core/schema'
import { blockSchema, headerSchema, uncleSchema, withdrawalSchema } from '../block.ts'
import { blockNumberOrTagSchema, blockParameterSchema, blockTagSchema } from '../block-parameter.ts'
import { addressSchema, dataSchema, hashSchema, wordSchema } from '../data.ts'
import { logFilterSchema, logSubscriptionFilterSchema } from '../log-filter.ts'
import { evmMethods } from '../methods/evm-methods.ts'
import { blockOverridesSchema, stateOverridesSchema } from '../overrides.ts'
import { indexSchema, quantitySchema } from '../quantity.ts'
import { logSchema, receiptSchema } from '../receipt.ts'
import { receiptsBlockParameterSchema } from '../receipts-block.ts'
import { rollupInfoSchema } from '../rollup-info.ts'
import { syncStatusSchema } from '../sync-status.ts'
import { accessListSchema, authorizationListSchema, transactionSchema } from '../transaction.ts'
import { transactionCallSchema } from '../transaction-call.ts'

/** The schemas that the document names and refers to. */
const named = {
  AccessList: accessListSchema,
  Address: addressSchema,
  AuthorizationList: authorizationListSchema,
  Block: blockSchema,
  BlockNumberOrTag: blockNumberOrTagSchema,
  BlockOverrides: blockOverridesSchema,
  BlockParameter: blockParameterSchema,
  BlockTag: blockTagSchema,
  Data: dataSchema,
  Hash: hashSchema,
  Header: headerSchema,
  Index: indexSchema,
  Log: logSchema,
  LogFilter: logFilterSchema,
  LogSubscriptionFilter: logSubscriptionFilterSchema,
  Quantity: quantitySchema,
  Receipt: receiptSchema,
  ReceiptsBlockParameter: receiptsBlockParameterSchema,
  RollupInfo: rollupInfoSchema,
  StateOverrides: stateOverridesSchema,
  SyncStatus: syncStatusSchema,
  Transaction: transactionSchema,
  TransactionCall: transactionCallSchema,
  Uncle: uncleSchema,
  Withdrawal: withdrawalSchema,
  Word: wordSchema,
}

/** The method table as an OpenRPC document, for playgrounds and code generators; `version` is that of your service. */
export function evmOpenRpcDocument(version: string): OpenRpcDocument {
  return openRpcDocument(evmMethods, {
    title: 'Ethereum and rollup JSON-RPC',
    version,
    description: 'Params are strict; results may hold more members than are described.',
    named,
  })
}
