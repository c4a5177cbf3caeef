import {
  array,
  boolean,
  integer,
  nullable,
  object,
  optional,
  type RuleTable,
  type Schema,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { type BlockParameter, blockParameterSchema } from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { noParams } from '../no-params.ts'

/** Raw data of a node: encoded, or as its database stores it. Not every node has these methods; some answer null if there is no such block. */
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
  /** Each with its `hash`, its bytes as `rlp`, and the readable part as `block`. */
  readonly debug_getBadBlocks: { readonly params: readonly []; readonly result: readonly object[] }
  /** `state`, `codes` and `headers`, as they are encoded. */
  readonly debug_executionWitness: { readonly params: readonly [block: BlockParameter]; readonly result: object }
  readonly debug_storageRangeAt: {
    /** The block by hash on every node, by another form on some; `index`: before this transaction; `start`: from this hashed key. */
    readonly params: readonly [block: BlockParameter, index: number, address: Address, start: Hex, limit: number]
    /** `storage` by hashed key, and `nextKey`, which is null at the end. */
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
    /** `accounts` by address, and `next`, the start of the following ones. */
    readonly result: object
  }
}

type BlockOnly = readonly [block: BlockParameter]

const blockOnly: Schema<BlockOnly> = /*#__PURE__*/ tuple<BlockOnly>(blockParameterSchema)
const dataOrNull: Schema<Hex | null> = /*#__PURE__*/ nullable(dataSchema)
const openObject: Schema<object> = /*#__PURE__*/ object<object>('an object', {})
const limit: Schema<number> = /*#__PURE__*/ integer('an integer, not negative', 0)

/** `debug_getRawHeader`. Source: execution-apis. */
export const debug_getRawHeader: RuleTable<DebugMethods>['debug_getRawHeader'] = {
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawBlock`. Source: execution-apis. */
export const debug_getRawBlock: RuleTable<DebugMethods>['debug_getRawBlock'] = {
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawReceipts`. Source: execution-apis. */
export const debug_getRawReceipts: RuleTable<DebugMethods>['debug_getRawReceipts'] = {
  params: blockOnly,
  result: /*#__PURE__*/ nullable(/*#__PURE__*/ array(dataSchema)),
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawBlockAccessList`. Source: execution-apis, EIP-7928. */
export const debug_getRawBlockAccessList: RuleTable<DebugMethods>['debug_getRawBlockAccessList'] = {
  params: blockOnly,
  result: dataOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_getRawTransaction`. Source: execution-apis. */
export const debug_getRawTransaction: RuleTable<DebugMethods>['debug_getRawTransaction'] = {
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawTransaction']['params']>(hashSchema),
  result: dataOrNull,
  paramNames: ['hash'],
  effect: 'read',
  // Not fixed: a pending blob transaction comes with its blobs.
  cache: 'head',
}

/** `debug_getBadBlocks`. Source: execution-apis. */
export const debug_getBadBlocks: RuleTable<DebugMethods>['debug_getBadBlocks'] = {
  params: noParams,
  result: /*#__PURE__*/ array(openObject),
  paramNames: [],
  effect: 'read',
}

/** `debug_executionWitness`. Source: execution-apis. */
export const debug_executionWitness: RuleTable<DebugMethods>['debug_executionWitness'] = {
  params: blockOnly,
  result: openObject,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_storageRangeAt`. Source: go-ethereum. */
export const debug_storageRangeAt: RuleTable<DebugMethods>['debug_storageRangeAt'] = {
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
  addressPaths: ['2'],
}

/** `debug_accountRange`. Source: go-ethereum. */
export const debug_accountRange: RuleTable<DebugMethods>['debug_accountRange'] = {
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
  addressPaths: [],
}
