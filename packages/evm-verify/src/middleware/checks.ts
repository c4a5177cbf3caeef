import {
  checkBlockByHash,
  checkBlockByNumber,
  checkHeader,
  checkTransactionCountOfBlock,
  checkUncle,
} from './check-blocks.ts'
import { checkLogs } from './check-logs.ts'
import { checkRawBlock, checkRawHeader, checkRawReceipts, checkRawTransaction } from './check-raw.ts'
import { checkBlockReceipts, checkReceipt } from './check-receipts.ts'
import { checkBalance, checkCode, checkProof, checkStorage, checkTransactionCount } from './check-state.ts'
import { checkTransactionByHash, checkTransactionByPlace } from './check-transactions.ts'
import type { Check } from './call.ts'

/** The methods whose answers are verified. Source: Spec §4, execution-apis, EIP-1186. */
export const checks: ReadonlyMap<string, Check> = new Map([
  ['eth_getTransactionByHash', checkTransactionByHash],
  ['eth_getTransactionByBlockHashAndIndex', checkTransactionByPlace],
  ['eth_getTransactionByBlockNumberAndIndex', checkTransactionByPlace],
  ['eth_getBlockByHash', checkBlockByHash],
  ['eth_getBlockByNumber', checkBlockByNumber],
  ['eth_getHeaderByHash', checkHeader],
  ['eth_getHeaderByNumber', checkHeader],
  ['eth_getUncleByBlockHashAndIndex', checkUncle],
  ['eth_getUncleByBlockNumberAndIndex', checkUncle],
  ['eth_getBlockTransactionCountByHash', checkTransactionCountOfBlock],
  ['eth_getBlockTransactionCountByNumber', checkTransactionCountOfBlock],
  ['eth_getBlockReceipts', checkBlockReceipts],
  ['eth_getTransactionReceipt', checkReceipt],
  ['eth_getLogs', checkLogs],
  ['eth_getBalance', checkBalance],
  ['eth_getTransactionCount', checkTransactionCount],
  ['eth_getCode', checkCode],
  ['eth_getStorageAt', checkStorage],
  ['eth_getProof', checkProof],
  ['eth_getRawTransactionByHash', checkRawTransaction],
  ['debug_getRawTransaction', checkRawTransaction],
  ['debug_getRawHeader', checkRawHeader],
  ['debug_getRawBlock', checkRawBlock],
  ['debug_getRawReceipts', checkRawReceipts],
])
