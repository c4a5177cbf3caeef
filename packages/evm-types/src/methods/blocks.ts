import { array, boolean, nullable, object, type RuleTable, type Schema, tuple } from '@wayleave/jsonrpc-core/schema'
import { type Block, blockSchema, type Header, headerSchema } from '../block.ts'
import {
  type BlockNumberOrTag,
  blockNumberOrTagSchema,
  type BlockParameter,
  blockParameterSchema,
} from '../block-parameter.ts'
import { type Address, addressSchema, type Hash, hashSchema } from '../data.ts'
import { type Quantity, quantitySchema } from '../quantity.ts'
import type { Transaction } from '../transaction.ts'

/** The reads and writes of a block on one account; nodes name the members beyond the address differently. Source: EIP-7928. */
export interface AccountAccess {
  readonly address: Address
}

/** Blocks; null if there is none. `Full`: whether the caller asks for whole transactions. */
export interface BlockMethods<Full extends boolean = boolean> {
  readonly eth_getBlockByNumber: {
    readonly params: readonly [block: BlockNumberOrTag, fullTransactions: Full]
    readonly result: Block<Full extends true ? Transaction : Hash> | null
  }
  readonly eth_getBlockByHash: {
    readonly params: readonly [blockHash: Hash, fullTransactions: Full]
    readonly result: Block<Full extends true ? Transaction : Hash> | null
  }
  readonly eth_getHeaderByNumber: {
    readonly params: readonly [block: BlockNumberOrTag]
    readonly result: Header | null
  }
  readonly eth_getHeaderByHash: {
    readonly params: readonly [blockHash: Hash]
    readonly result: Header | null
  }
  /** In the order of addresses; error 4445 for a block before Amsterdam. */
  readonly eth_getBlockAccessList: {
    readonly params: readonly [block: BlockParameter]
    readonly result: readonly AccountAccess[] | null
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
const headerOrNull: Schema<Header | null> = /*#__PURE__*/ nullable(headerSchema)
const countOrNull: Schema<Quantity | null> = /*#__PURE__*/ nullable(quantitySchema)

/** `eth_getBlockByNumber`. Source: execution-apis. */
export const eth_getBlockByNumber: RuleTable<BlockMethods>['eth_getBlockByNumber'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockByNumber']['params']>(blockNumberOrTagSchema, boolean),
  result: blockOrNull,
  paramNames: ['block', 'fullTransactions'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getBlockByHash`. Source: execution-apis. */
export const eth_getBlockByHash: RuleTable<BlockMethods>['eth_getBlockByHash'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockByHash']['params']>(hashSchema, boolean),
  result: blockOrNull,
  paramNames: ['blockHash', 'fullTransactions'],
  effect: 'read',
  cache: 'fixed',
}

/** `eth_getHeaderByNumber`. Source: execution-apis. */
export const eth_getHeaderByNumber: RuleTable<BlockMethods>['eth_getHeaderByNumber'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getHeaderByNumber']['params']>(blockNumberOrTagSchema),
  result: headerOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getHeaderByHash`. Source: execution-apis. */
export const eth_getHeaderByHash: RuleTable<BlockMethods>['eth_getHeaderByHash'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getHeaderByHash']['params']>(hashSchema),
  result: headerOrNull,
  paramNames: ['blockHash'],
  effect: 'read',
  cache: 'fixed',
}

/** `eth_getBlockAccessList`. Source: execution-apis, EIP-7928. */
export const eth_getBlockAccessList: RuleTable<BlockMethods>['eth_getBlockAccessList'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockAccessList']['params']>(blockParameterSchema),
  result: /*#__PURE__*/ nullable(
    /*#__PURE__*/ array(/*#__PURE__*/ object<AccountAccess>('an account access', { address: addressSchema })),
  ),
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getBlockTransactionCountByNumber`. Source: execution-apis. */
export const eth_getBlockTransactionCountByNumber: RuleTable<BlockMethods>['eth_getBlockTransactionCountByNumber'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockTransactionCountByNumber']['params']>(blockNumberOrTagSchema),
  result: countOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `eth_getBlockTransactionCountByHash`. Source: execution-apis. */
export const eth_getBlockTransactionCountByHash: RuleTable<BlockMethods>['eth_getBlockTransactionCountByHash'] = {
  params: /*#__PURE__*/ tuple<BlockMethods['eth_getBlockTransactionCountByHash']['params']>(hashSchema),
  result: countOrNull,
  paramNames: ['blockHash'],
  effect: 'read',
  cache: 'fixed',
}
