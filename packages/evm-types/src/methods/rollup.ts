import { type MethodTable, tuple } from '@wayleave/jsonrpc-core/schema'
import { type RollupInfoAnswer, rollupInfoAnswerSchema } from '../rollup-info.ts'
import { type SyncStatus, syncStatusSchema } from '../sync-status.ts'

/** Where a rollup node stands. */
export interface RollupMethods {
  readonly rollup_getInfo: { readonly params: readonly []; readonly result: RollupInfoAnswer }
  readonly optimism_syncStatus: { readonly params: readonly []; readonly result: SyncStatus }
}

/** `rollup_getInfo`. Source: Spec §4.8. */
export const rollup_getInfo: MethodTable<RollupMethods>['rollup_getInfo'] = {
  summary: 'The mode of a rollup node and how far it has come on both layers.',
  source: 'Spec §4.8',
  params: /*#__PURE__*/ tuple<readonly []>(),
  result: rollupInfoAnswerSchema,
  paramNames: [],
  effect: 'read',
}

/** `optimism_syncStatus`, which an op-node answers on its own port. Source: op-node. */
export const optimism_syncStatus: MethodTable<RollupMethods>['optimism_syncStatus'] = {
  summary: 'How far a rollup node has come: its L1 and L2 heads by degree of safety.',
  source: 'op-node optimism_syncStatus',
  params: /*#__PURE__*/ tuple<readonly []>(),
  result: syncStatusSchema,
  paramNames: [],
  effect: 'read',
}
