import { anything, choice, is, object, record, type RuleTable, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { maybe } from '../maybe.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import { noParams } from '../no-params.ts'

/** The progress of a node that is behind. Nodes add members of their own; Arbitrum sends only those. Source: execution-apis. */
export interface SyncProgress {
  readonly startingBlock?: Quantity | null
  readonly currentBlock?: Quantity | null
  readonly highestBlock?: Quantity | null
}

/** Facts about the chain as a whole. */
export interface ChainMethods {
  readonly eth_chainId: { readonly params: readonly []; readonly result: Quantity }
  /** Decimal. */
  readonly net_version: { readonly params: readonly []; readonly result: string }
  readonly eth_blockNumber: { readonly params: readonly []; readonly result: Quantity }
  /** False if the node is level with the chain. */
  readonly eth_syncing: { readonly params: readonly []; readonly result: false | SyncProgress }
  /** The rules of the `current`, `next` and `last` fork; null if there is none. */
  readonly eth_config: { readonly params: readonly []; readonly result: Readonly<Record<string, unknown>> }
}

const falseSchema: Schema<false> = /*#__PURE__*/ is(
  'false',
  (value) => value === false,
  () => ({ const: false }),
)

const progressSchema: Schema<SyncProgress> = /*#__PURE__*/ object<SyncProgress>('a sync progress', {
  startingBlock: /*#__PURE__*/ maybe(quantitySchema),
  currentBlock: /*#__PURE__*/ maybe(quantitySchema),
  highestBlock: /*#__PURE__*/ maybe(quantitySchema),
})

/** `eth_chainId`. Source: EIP-695. */
export const eth_chainId: RuleTable<ChainMethods>['eth_chainId'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
  cache: 'fixed',
}

/** `net_version`. Source: execution-apis. */
export const net_version: RuleTable<ChainMethods>['net_version'] = {
  params: noParams,
  result: /*#__PURE__*/ text('a decimal network id', /^\d+$/),
  paramNames: [],
  effect: 'read',
  cache: 'fixed',
}

/** `eth_blockNumber`. Source: execution-apis. */
export const eth_blockNumber: RuleTable<ChainMethods>['eth_blockNumber'] = {
  params: noParams,
  result: quantitySchema,
  paramNames: [],
  effect: 'read',
  cache: 'head',
}

/** `eth_syncing`. Source: execution-apis. */
export const eth_syncing: RuleTable<ChainMethods>['eth_syncing'] = {
  params: noParams,
  result: /*#__PURE__*/ choice(
    'false or a sync progress',
    (value) => (typeof value === 'boolean' ? falseSchema : progressSchema),
    [falseSchema, progressSchema],
  ),
  paramNames: [],
  effect: 'read',
}

/** `eth_config`. Source: EIP-7910. */
export const eth_config: RuleTable<ChainMethods>['eth_config'] = {
  params: noParams,
  result: /*#__PURE__*/ record(anything),
  paramNames: [],
  effect: 'read',
  cache: 'head',
}
