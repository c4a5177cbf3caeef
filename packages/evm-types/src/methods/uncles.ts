import { nullable, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Uncle, uncleSchema } from '../block.ts'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from '../block-parameter.ts'
import { type Hash, hashSchema } from '../data.ts'
import { indexSchema, type Quantity, quantitySchema } from '../quantity.ts'

/** Uncles; null if there is none, as in every block since the Merge. */
export interface UncleMethods {
  readonly eth_getUncleByBlockNumberAndIndex: {
    readonly params: readonly [block: BlockNumberOrTag, index: Quantity]
    readonly result: Uncle | null
  }
  readonly eth_getUncleByBlockHashAndIndex: {
    readonly params: readonly [blockHash: Hash, index: Quantity]
    readonly result: Uncle | null
  }
  readonly eth_getUncleCountByBlockNumber: {
    readonly params: readonly [block: BlockNumberOrTag]
    readonly result: Quantity | null
  }
  readonly eth_getUncleCountByBlockHash: {
    readonly params: readonly [blockHash: Hash]
    readonly result: Quantity | null
  }
}

const uncleOrNull: Schema<Uncle | null> = /*#__PURE__*/ nullable(uncleSchema)
const countOrNull: Schema<Quantity | null> = /*#__PURE__*/ nullable(quantitySchema)

/** `eth_getUncleByBlockNumberAndIndex`. Source: Spec §4.3. */
export const eth_getUncleByBlockNumberAndIndex: RuleTable<UncleMethods>['eth_getUncleByBlockNumberAndIndex'] = {
  params: /*#__PURE__*/ tuple<UncleMethods['eth_getUncleByBlockNumberAndIndex']['params']>(
    blockNumberOrTagSchema,
    indexSchema,
  ),
  result: uncleOrNull,
  paramNames: ['block', 'index'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getUncleByBlockHashAndIndex`. Source: EIP-1474. */
export const eth_getUncleByBlockHashAndIndex: RuleTable<UncleMethods>['eth_getUncleByBlockHashAndIndex'] = {
  params: /*#__PURE__*/ tuple<UncleMethods['eth_getUncleByBlockHashAndIndex']['params']>(hashSchema, indexSchema),
  result: uncleOrNull,
  paramNames: ['blockHash', 'index'],
  effect: 'read',
  cache: 'fixed',
}

/** `eth_getUncleCountByBlockNumber`. Source: execution-apis. */
export const eth_getUncleCountByBlockNumber: RuleTable<UncleMethods>['eth_getUncleCountByBlockNumber'] = {
  params: /*#__PURE__*/ tuple<UncleMethods['eth_getUncleCountByBlockNumber']['params']>(blockNumberOrTagSchema),
  result: countOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getUncleCountByBlockHash`. Source: execution-apis. */
export const eth_getUncleCountByBlockHash: RuleTable<UncleMethods>['eth_getUncleCountByBlockHash'] = {
  params: /*#__PURE__*/ tuple<UncleMethods['eth_getUncleCountByBlockHash']['params']>(hashSchema),
  result: countOrNull,
  paramNames: ['blockHash'],
  effect: 'read',
  cache: 'fixed',
}
