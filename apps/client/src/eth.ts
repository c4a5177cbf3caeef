import type { EvmSchema } from '@wayleave/evm-types'
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { Client } from './client.ts'

type Params<M extends keyof EvmSchema> = EvmSchema[M]['params']
type Result<M extends keyof EvmSchema> = Promise<EvmSchema[M]['result']>

/** The specification's `eth_*` methods; each takes its params as an array, as JSON-RPC does. */
export interface EthMethods {
  /** Spec §4.2: the 32-byte value at a storage position. */
  getStorageAt(params: Params<'eth_getStorageAt'>, options?: CallOptions): Result<'eth_getStorageAt'>
  /** Spec §4.3: an uncle's header, or null. */
  getUncleByBlockNumberAndIndex(
    params: Params<'eth_getUncleByBlockNumberAndIndex'>,
    options?: CallOptions,
  ): Result<'eth_getUncleByBlockNumberAndIndex'>
  /** Spec §4.4: a transaction, or null. */
  getTransactionByBlockHashAndIndex(
    params: Params<'eth_getTransactionByBlockHashAndIndex'>,
    options?: CallOptions,
  ): Result<'eth_getTransactionByBlockHashAndIndex'>
  /** Spec §4.5: a transaction, or null. */
  getTransactionByHash(
    params: Params<'eth_getTransactionByHash'>,
    options?: CallOptions,
  ): Result<'eth_getTransactionByHash'>
  /** Spec §4.6: a block's receipts in transaction order, or null. */
  getBlockReceipts(params: Params<'eth_getBlockReceipts'>, options?: CallOptions): Result<'eth_getBlockReceipts'>
  /** Spec §4.7: a gas quantity; a revert rejects with `rpc.code` 3 and the payload in `rpc.data`. */
  estimateGas(params: Params<'eth_estimateGas'>, options?: CallOptions): Result<'eth_estimateGas'>
}

export function createEthMethods(request: Client['request']): EthMethods {
  return {
    getStorageAt: (params, options) => request('eth_getStorageAt', params, options),
    getUncleByBlockNumberAndIndex: (params, options) => request('eth_getUncleByBlockNumberAndIndex', params, options),
    getTransactionByBlockHashAndIndex: (params, options) =>
      request('eth_getTransactionByBlockHashAndIndex', params, options),
    getTransactionByHash: (params, options) => request('eth_getTransactionByHash', params, options),
    getBlockReceipts: (params, options) => request('eth_getBlockReceipts', params, options),
    estimateGas: (params, options) => request('eth_estimateGas', params, options),
  }
}
