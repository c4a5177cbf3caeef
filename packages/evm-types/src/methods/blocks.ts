import { boolean, type MethodTable, nullable, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Block, blockSchema, type Uncle, uncleSchema } from '../block.ts'
import { type BlockNumberOrTag, blockNumberOrTagSchema } from '../block-parameter.ts'
import { type Hash, hashSchema } from '../data.ts'
import { indexSchema, type Quantity } from '../quantity.ts'

/** Blocks and uncles; null where there is none. */
export interface BlockMethods {
  readonly eth_getBlockByNumber: {
    readonly params: readonly [block: BlockNumberOrTag, fullTransactions: boolean]
    readonly result: Block | null
  }
  readonly eth_getBlockByHash: {
    readonly params: readonly [blockHash: Hash, fullTransactions: boolean]
    readonly result: Block | null
  }
  readonly eth_getUncleByBlockNumberAndIndex: {
    readonly params: readonly [block: BlockNumberOrTag, index: Quantity]
    readonly result: Uncle | null
  }
}

/** `eth_getBlockByNumber`. Source: execution-apis. */
export const eth_getBlockByNumber: MethodTable<BlockMethods>['eth_getBlockByNumber'] = {
  summary: 'A block by number or tag, with its transactions or their hashes.',
  source: 'execution-apis eth_getBlockByNumber',
  params: tuple<BlockMethods['eth_getBlockByNumber']['params']>(blockNumberOrTagSchema, boolean),
  result: nullable(blockSchema),
  effect: 'read',
  blockParam: 0,
}

/** `eth_getBlockByHash`. Source: execution-apis. */
export const eth_getBlockByHash: MethodTable<BlockMethods>['eth_getBlockByHash'] = {
  summary: 'A block by hash, with its transactions or their hashes.',
  source: 'execution-apis eth_getBlockByHash',
  params: tuple<BlockMethods['eth_getBlockByHash']['params']>(hashSchema, boolean),
  result: nullable(blockSchema),
  effect: 'read',
}

/** `eth_getUncleByBlockNumberAndIndex`. Source: Spec §4.3. */
export const eth_getUncleByBlockNumberAndIndex: MethodTable<BlockMethods>['eth_getUncleByBlockNumberAndIndex'] = {
  summary: 'An uncle of a block, by its position.',
  source: 'Spec §4.3',
  params: tuple<BlockMethods['eth_getUncleByBlockNumberAndIndex']['params']>(blockNumberOrTagSchema, indexSchema),
  result: nullable(uncleSchema),
  effect: 'read',
  blockParam: 0,
}
