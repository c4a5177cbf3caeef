import type { EvmSchema } from '@wayleave/evm-types'
import type { CallOptions } from '@wayleave/jsonrpc-core'
import type { Client } from './client.ts'

/** The specification's `rollup_*` methods. */
export interface RollupMethods {
  /** Spec §4.8: the node's own account of itself; numbers are plain integers. */
  getInfo(options?: CallOptions): Promise<EvmSchema['rollup_getInfo']['result']>
}

export function createRollupMethods(request: Client['request']): RollupMethods {
  return { getInfo: (options) => request('rollup_getInfo', [], options) }
}
