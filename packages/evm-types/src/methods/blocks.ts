import { boolean, type MethodTable, nullable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Block, blockSchema } from '../block.ts'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from '../block-parameter.ts'
import { type Hash, hashSchema } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'

/** Blocks; null where there is none. */
export interface BlockMethods {
  readonly eth_getBlockByNumber: {
    readonly params: readonly [block: BlockNumberOrTag, fullTransactions: boolean]
    readonly result: Block | null
  }
  readonly eth_getBlockByHash: {
    readonly params: readonly [blockHash: Hash, fullTransactions: boolean]
    readonly result: Block | null
  }
  readonly eth_getBlockTransactionCountByNumber: {
    readonly params: readonly [block: BlockNumberOrTag]
    readonly result: Quantity | null
  }
  readonly eth_getBlockTransactionCountByHash: {
    readonly params: readonly [blockHash: Hash]
    readonly result: Quantity | null
  }
}

const blockOrNull: Schema<Block | null> = /*#__PURE__*/ nullable(blockSchema)
const countOrNull: Schema<Quantity | null> = /*#__PURE__*/ nullable(quantitySchema)

/** `eth_getBlockByNumber`. Source: execution-apis. */
export const eth_getBlockByNumber: MethodTable<BlockMethods>['eth_getBlockByNumber'] = {
  summary: 'A block by number or tag, with its transactions or their hashes.',
  source: 'execution-apis eth_getBlockByNumber',
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockByNumber']['params']>(blockNumberOrTagSchema, boolean),
  result: blockOrNull,
  paramNames: ['block', 'fullTransactions'],
  effect: 'read',
  blockParam: 0,
}

/** `eth_getBlockByHash`. Source: execution-apis. */
export const eth_getBlockByHash: MethodTable<BlockMethods>['eth_getBlockByHash'] = {
  summary: 'A block by hash, with its transactions or their hashes.',
  source: 'execution-apis eth_getBlockByHash',
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockByHash']['params']>(hashSchema, boolean),
  result: blockOrNull,
  paramNames: ['blockHash', 'fullTransactions'],
  effect: 'read',
}

/** `eth_getBlockTransactionCountByNumber`. Source: execution-apis. */
export const eth_getBlockTransactionCountByNumber: MethodTable<BlockMethods>['eth_getBlockTransactionCountByNumber'] = {
  summary: 'How many transactions a block has, by its number or tag.',
  source: 'execution-apis eth_getBlockTransactionCountByNumber',
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockTransactionCountByNumber']['params']>(blockNumberOrTagSchema),
  result: countOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
}

/** `eth_getBlockTransactionCountByHash`. Source: execution-apis. */
export const eth_getBlockTransactionCountByHash: MethodTable<BlockMethods>['eth_getBlockTransactionCountByHash'] = {
  summary: 'How many transactions a block has, by its hash.',
  source: 'execution-apis eth_getBlockTransactionCountByHash',
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockTransactionCountByHash']['params']>(hashSchema),
  result: countOrNull,
  paramNames: ['blockHash'],
  effect: 'read',
}
