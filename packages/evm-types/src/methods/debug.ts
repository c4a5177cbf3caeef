import {
  array,
  boolean,
  integer,
  type MethodTable,
  nullable,
  object,
  optional,
  type Schema,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, blockParameterSchema } from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { noParams } from './no-params.ts'

/** What a node keeps: encoded, or as its database has it. From nodes that offer it. Where there is none, some answer null. */
export interface DebugMethods {
  readonly debug_getRawHeader: { readonly params: readonly [block: BlockParameter]; readonly result: Hex | null }
  readonly debug_getRawBlock: { readonly params: readonly [block: BlockParameter]; readonly result: Hex | null }
  readonly debug_getRawReceipts: {
    readonly params: readonly [block: BlockParameter]
    readonly result: readonly Hex[] | null
  }
  readonly debug_getRawBlockAccessList: {
    readonly params: readonly [block: BlockParameter]
    readonly result: Hex | null
  }
  readonly debug_getRawTransaction: { readonly params: readonly [hash: Hash]; readonly result: Hex | null }
  /** Each with its `hash` and its bytes as `rlp`, and as `block` what could be read of it. */
  readonly debug_getBadBlocks: { readonly params: readonly []; readonly result: readonly object[] }
  /** `state`, `codes` and `headers`, as they are encoded. */
  readonly debug_executionWitness: { readonly params: readonly [block: BlockParameter]; readonly result: object }
  readonly debug_storageRangeAt: {
    /** A block's hash on every node, another form on some; before its transaction of this index; from this hashed key on. */
    readonly params: readonly [block: BlockParameter, index: number, address: Address, start: Hex, limit: number]
    /** `storage` by hashed key, and the `nextKey`, null at the end. */
    readonly result: object
  }
  readonly debug_accountRange: {
    readonly params: readonly [
      block: BlockParameter,
      start: Hex,
      limit: number,
      noCode: boolean,
      noStorage: boolean,
      incompletes?: boolean,
    ]
    /** `accounts` by address, and where the `next` ones start. */
    readonly result: object
  }
}

type BlockOnly = readonly [block: BlockParameter]

const blockOnly: Schema<BlockOnly> = /*#__PURE__*/ tuple<BlockOnly>(blockParameterSchema)
const dataOrNull: Schema<Hex | null> = /*#__PURE__*/ nullable(dataSchema)
const openObject: Schema<object> = /*#__PURE__*/ object<object>('an object', {})
const limit: Schema<number> = /*#__PURE__*/ integer('an integer, not negative', 0)

/** `debug_getRawHeader`. Source: execution-apis. */
export const debug_getRawHeader: MethodTable<DebugMethods>['debug_getRawHeader'] = {
  summary: 'The header of a block, RLP-encoded.',
  source: 'execution-apis',
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawBlock`. Source: execution-apis. */
export const debug_getRawBlock: MethodTable<DebugMethods>['debug_getRawBlock'] = {
  summary: 'A block, RLP-encoded.',
  source: 'execution-apis',
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawReceipts`. Source: execution-apis. */
export const debug_getRawReceipts: MethodTable<DebugMethods>['debug_getRawReceipts'] = {
  summary: 'The receipts of a block, each encoded.',
  source: 'execution-apis',
  params: blockOnly,
  result: /*#__PURE__*/ nullable(/*#__PURE__*/ array(dataSchema)),
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawTransaction`. Source: execution-apis. */
export const debug_getRawTransaction: MethodTable<DebugMethods>['debug_getRawTransaction'] = {
  summary: 'A transaction as it went over the network.',
  source: 'execution-apis',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawTransaction']['params']>(hashSchema),
  result: dataOrNull,
  paramNames: ['hash'],
  effect: 'read',
  // Not fixed: while a blob transaction waits, its blobs come with it.
  cache: 'head',
}

/** `debug_getRawBlockAccessList`. Source: execution-apis, EIP-7928. */
export const debug_getRawBlockAccessList: MethodTable<DebugMethods>['debug_getRawBlockAccessList'] = {
  summary: 'The block access list of a block, RLP-encoded.',
  source: 'execution-apis',
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getBadBlocks`. Source: execution-apis. */
export const debug_getBadBlocks: MethodTable<DebugMethods>['debug_getBadBlocks'] = {
  summary: 'The invalid blocks that the node has met lately.',
  source: 'execution-apis',
  params: noParams,
  result: /*#__PURE__*/ array(openObject),
  paramNames: [],
  effect: 'read',
}

/** `debug_executionWitness`. Source: execution-apis. */
export const debug_executionWitness: MethodTable<DebugMethods>['debug_executionWitness'] = {
  summary: 'What a block is executed and verified with, without a state.',
  source: 'execution-apis',
  params: blockOnly,
  result: openObject,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_storageRangeAt`. Source: go-ethereum. */
export const debug_storageRangeAt: MethodTable<DebugMethods>['debug_storageRangeAt'] = {
  summary: 'A part of the storage of a contract, in the order of its hashed keys.',
  source: 'go-ethereum',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_storageRangeAt']['params']>(
    blockParameterSchema,
    limit,
    addressSchema,
    dataSchema,
    limit,
  ),
  result: openObject,
  paramNames: ['block', 'index', 'address', 'start', 'limit'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
  addressPaths: ['2'],
}

/** `debug_accountRange`. Source: go-ethereum. */
export const debug_accountRange: MethodTable<DebugMethods>['debug_accountRange'] = {
  summary: 'A part of the accounts of a state, in the order of their hashed addresses.',
  source: 'go-ethereum',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_accountRange']['params']>(
    blockParameterSchema,
    dataSchema,
    limit,
    boolean,
    boolean,
    /*#__PURE__*/ optional(boolean),
  ),
  result: openObject,
  paramNames: ['block', 'start', 'limit', 'noCode', 'noStorage', 'incompletes?'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}
