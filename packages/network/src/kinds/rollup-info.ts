import { rollupInfoFromSyncStatus, type SyncStatus, syncStatusSchema } from '@wayleave/evm-types'
import {
  isStream,
  type RpcContext,
  RpcError,
  type RpcHandler,
  rawJsonFromValue,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { derivedFrom } from './derived-from.ts'
import type { Stage } from './stage.ts'
import type { NetworkSources } from './network-kind.ts'

/** `rollup_getInfo` (Spec §4.8): a node's own answer, else one derived from `optimism_syncStatus` of the rollup node. */
export function rollupInfoRule({ rollupNode, rollupMode }: NetworkSources): Stage {
  return {
    name: 'rollup_getInfo of the rollup node',
    methods: ['rollup_getInfo'],
    apply: (next) => async (request, context) => {
      const answered = await next(request, context)
      if (rollupNode === undefined || answered.error?.code !== -32601) return answered
      const [status, syncing, mode] = await Promise.all([
        rollupNode(plainCall('optimism_syncStatus'), context),
        next(plainCall('eth_syncing'), context),
        rollupMode ?? modeOf(rollupNode, context),
      ])
      if (status.error !== undefined) return status
      const sync = syncStatusOf(status)
      const isSyncing = syncing.error === undefined && valueOf(syncing) !== false
      const info = rollupInfoFromSyncStatus(sync, { mode, syncing: isSyncing || isBehindL1(sync) })
      return { result: rawJsonFromValue(info), meta: derivedFrom.on(status.meta ?? {}, 'optimism_syncStatus') }
    },
  }
}

/** L1 blocks by which a rollup node may be behind the newest that it has seen: two epochs. */
const greatestL1Lag = 64

function isBehindL1({ head_l1, current_l1 }: SyncStatus): boolean {
  return head_l1.number - current_l1.number > greatestL1Lag
}

/** Only a rollup node whose admin interface is open tells that it is the active sequencer. */
async function modeOf(rollupNode: RpcHandler, context: RpcContext): Promise<'sequencer' | 'verifier'> {
  const answer = await rollupNode(plainCall('admin_sequencerActive'), context).catch(() => undefined)
  return answer !== undefined && answer.error === undefined && valueOf(answer) === true ? 'sequencer' : 'verifier'
}

function syncStatusOf(answer: Exclude<RpcResponse, { error: object }>): SyncStatus {
  const sync = valueOf(answer)
  if (syncStatusSchema.check(sync, '') === undefined) return sync as SyncStatus
  throw new RpcError('invalid_response', 'the rollup node gave no sync status')
}

function plainCall(method: string): RpcRequest {
  return { method, params: rawJsonFromValue([]), notification: false }
}

function valueOf(response: Exclude<RpcResponse, { error: object }>): unknown {
  if (isStream(response.result)) throw new TypeError('a whole value was expected')
  return response.result.value()
}

/** `optimism_syncStatus` is a method of the rollup node, which answers it where one is configured. Source: OP Stack, op-node. */
export function syncStatusRule({ rollupNode }: NetworkSources): Stage {
  return { name: 'the rollup node', methods: ['optimism_syncStatus'], apply: (next) => rollupNode ?? next }
}
