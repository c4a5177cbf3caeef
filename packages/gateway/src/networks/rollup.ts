import { evmMethods, rollupInfoFromSyncStatus, type SyncStatus, syncStatusSchema } from '@wayleave/evm-types'
import {
  isStream,
  type RpcContext,
  RpcError,
  type RpcHandler,
  rawJsonFromValue,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import type { NetworkKind, NetworkSources } from './network-kind.ts'

/** EVM rollups: an execution node, and optionally the rollup node beside it. */
export const rollup: NetworkKind = {
  facts: evmMethods,
  normalise: (sources) => (next) => (request, context) =>
    request.method === 'rollup_getInfo' ? getInfo(request, context, next, sources) : next(request, context),
}

/** `rollup_getInfo` (Spec §4.8) of a node that has it; else derived from `optimism_syncStatus` of the rollup node. */
async function getInfo(
  request: RpcRequest,
  context: RpcContext,
  next: RpcHandler,
  { rollupNode, rollupMode }: NetworkSources,
): Promise<RpcResponse> {
  const answered = await next(request, context)
  if (rollupNode === undefined || answered.error?.code !== -32601) return answered
  const [status, syncing] = await Promise.all([
    rollupNode(plainCall('optimism_syncStatus'), context),
    next(plainCall('eth_syncing'), context),
  ])
  if (status.error !== undefined) return status
  const sync = valueOf(status)
  if (syncStatusSchema.check(sync, '') !== undefined)
    throw new RpcError('invalid_response', 'the rollup node gave no sync status')
  const info = rollupInfoFromSyncStatus(sync as SyncStatus, {
    mode: rollupMode,
    syncing: syncing.error === undefined && valueOf(syncing) !== false,
  })
  return { result: rawJsonFromValue(info) }
}

function plainCall(method: string): RpcRequest {
  return { method, params: rawJsonFromValue([]), notification: false }
}

function valueOf(response: Exclude<RpcResponse, { error: object }>): unknown {
  if (isStream(response.result)) throw new TypeError('a whole value was expected')
  return response.result.value()
}
