import { object, type RuleTable, type Schema, text, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Hash, hashSchema } from '../data.ts'
import { indexSchema, type Quantity, quantitySchema } from '../quantity.ts'
import { type RollupInfoAnswer, rollupInfoAnswerSchema } from '../rollup-info.ts'
import {
  type BlockId,
  blockIdSchema,
  type L2BlockRef,
  l2BlockRefSchema,
  type SyncStatus,
  syncStatusSchema,
} from '../sync-status.ts'
import { noParams } from '../no-params.ts'

/** The prices of a rollup's sequencer, in wei per gas. Source: l2geth. */
export interface RollupGasPrices {
  /** For data written to L1. */
  readonly l1GasPrice: Quantity
  /** For execution. */
  readonly l2GasPrice: Quantity
}

/** The output root of a rollup block, as its L1 contract stores it, and its parts. Source: op-node. */
export interface RollupOutput {
  readonly version: Hash
  readonly outputRoot: Hash
  readonly blockRef: L2BlockRef
  readonly withdrawalStorageRoot: Hash
  readonly stateRoot: Hash
  /** The node's sync status when it answered. */
  readonly syncStatus: SyncStatus
}

/** The rollup block that was safe when an L1 block was the newest. Source: op-node. */
export interface SafeHead {
  readonly l1Block: BlockId
  readonly safeHead: BlockId
}

/** The progress of a rollup node, and its rules. */
export interface RollupMethods {
  readonly rollup_getInfo: { readonly params: readonly []; readonly result: RollupInfoAnswer }
  readonly rollup_gasPrices: { readonly params: readonly []; readonly result: RollupGasPrices }
  readonly optimism_syncStatus: { readonly params: readonly []; readonly result: SyncStatus }
  readonly optimism_outputAtBlock: { readonly params: readonly [number: Quantity]; readonly result: RollupOutput }
  readonly optimism_safeHeadAtL1Block: { readonly params: readonly [l1Number: Quantity]; readonly result: SafeHead }
  readonly optimism_rollupConfig: { readonly params: readonly []; readonly result: object }
  readonly optimism_version: { readonly params: readonly []; readonly result: string }
}

const oneNumber: Schema<readonly [number: Quantity]> = /*#__PURE__*/ tuple<readonly [number: Quantity]>(indexSchema)

/** `rollup_getInfo`. Source: Spec §4.8. */
export const rollup_getInfo: RuleTable<RollupMethods>['rollup_getInfo'] = {
  params: noParams,
  result: rollupInfoAnswerSchema,
  paramNames: [],
  effect: 'read',
}

/** `rollup_gasPrices`. Source: l2geth. */
export const rollup_gasPrices: RuleTable<RollupMethods>['rollup_gasPrices'] = {
  params: noParams,
  result: /*#__PURE__*/ object<RollupGasPrices>('gas prices', {
    l1GasPrice: quantitySchema,
    l2GasPrice: quantitySchema,
  }),
  paramNames: [],
  effect: 'read',
}

/** `optimism_syncStatus`. An op-node serves all `optimism_*` methods on a port of its own. Source: op-node. */
export const optimism_syncStatus: RuleTable<RollupMethods>['optimism_syncStatus'] = {
  params: noParams,
  result: syncStatusSchema,
  paramNames: [],
  effect: 'read',
}

/** `optimism_outputAtBlock`. Source: op-node. */
export const optimism_outputAtBlock: RuleTable<RollupMethods>['optimism_outputAtBlock'] = {
  params: oneNumber,
  result: /*#__PURE__*/ object<RollupOutput>('an output', {
    version: hashSchema,
    outputRoot: hashSchema,
    blockRef: l2BlockRefSchema,
    withdrawalStorageRoot: hashSchema,
    stateRoot: hashSchema,
    syncStatus: syncStatusSchema,
  }),
  paramNames: ['number'],
  effect: 'read',
}

/** `optimism_safeHeadAtL1Block`. Source: op-node. */
export const optimism_safeHeadAtL1Block: RuleTable<RollupMethods>['optimism_safeHeadAtL1Block'] = {
  params: oneNumber,
  result: /*#__PURE__*/ object<SafeHead>('a safe head', { l1Block: blockIdSchema, safeHead: blockIdSchema }),
  paramNames: ['l1Number'],
  effect: 'read',
}

/** `optimism_rollupConfig`. Source: op-node. */
export const optimism_rollupConfig: RuleTable<RollupMethods>['optimism_rollupConfig'] = {
  params: noParams,
  result: /*#__PURE__*/ object<object>('an object', {}),
  paramNames: [],
  effect: 'read',
}

/** `optimism_version`. Source: op-node. */
export const optimism_version: RuleTable<RollupMethods>['optimism_version'] = {
  params: noParams,
  result: /*#__PURE__*/ text('a version'),
  paramNames: [],
  effect: 'read',
}
