import {
  anything,
  array,
  integer,
  object,
  optional,
  type OptionalSchema,
  type RuleTable,
  type Schema,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import {
  type BlockNumberOrTag,
  blockNumberOrTagSchema,
  type BlockParameter,
  blockParameterSchema,
  optionalBlock,
} from '../block-parameter.ts'
import { dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { maybe } from '../maybe.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** Options of a tracer: `tracer`, `tracerConfig`, `timeout`, …; some nodes know more members than others. */
export type TraceOptions = object

/** The trace of one transaction of a block, in the tracer's form. Source: go-ethereum. */
export interface BlockTrace {
  readonly txHash?: Hash | null
  readonly result?: unknown
  readonly error?: unknown
}

/** Calls that are executed one after the other. Source: erigon. */
export interface CallBundle {
  readonly transactions: readonly TransactionCall[]
  /** Overrides of the block, under the node's own names. */
  readonly blockOverride?: object
}

/** The place where bundles are executed: before the block's transaction of this index, or after all (-1 or absent). Source: erigon. */
export interface BundlePlace {
  readonly blockNumber: BlockParameter
  readonly transactionIndex?: number
}

/** Traces of executions in go-ethereum's forms. The form of a trace depends on its tracer. */
export interface DebugTraceMethods {
  readonly debug_traceTransaction: {
    readonly params: readonly [hash: Hash, options?: TraceOptions]
    readonly result: unknown
  }
  readonly debug_traceCall: {
    readonly params: readonly [call: TransactionCall, block?: BlockParameter, options?: TraceOptions]
    readonly result: unknown
  }
  readonly debug_traceCallMany: {
    readonly params: readonly [bundles: readonly CallBundle[], place: BundlePlace, options?: TraceOptions]
    /** By bundle, by call. */
    readonly result: readonly (readonly unknown[])[]
  }
  readonly debug_traceBlock: {
    readonly params: readonly [rlp: Hex, options?: TraceOptions]
    readonly result: readonly BlockTrace[]
  }
  readonly debug_traceBlockByNumber: {
    readonly params: readonly [block: BlockNumberOrTag, options?: TraceOptions]
    readonly result: readonly BlockTrace[]
  }
  readonly debug_traceBlockByHash: {
    readonly params: readonly [blockHash: Hash, options?: TraceOptions]
    readonly result: readonly BlockTrace[]
  }
}

const traceOptions: OptionalSchema<TraceOptions> = /*#__PURE__*/ optional(
  /*#__PURE__*/ object<object>('trace options', {}),
)
const blockTraces: Schema<readonly BlockTrace[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ object<BlockTrace>('the trace of a transaction', {
    txHash: /*#__PURE__*/ maybe(hashSchema),
    result: /*#__PURE__*/ optional(anything),
    error: /*#__PURE__*/ optional(anything),
  }),
)

const bundleSchema: Schema<CallBundle> = /*#__PURE__*/ object<CallBundle>(
  'a bundle of calls',
  {
    transactions: /*#__PURE__*/ array(transactionCallSchema),
    blockOverride: /*#__PURE__*/ optional(/*#__PURE__*/ object<object>('overrides of the block of a bundle', {})),
  },
  { closed: true },
)

const placeSchema: Schema<BundlePlace> = /*#__PURE__*/ object<BundlePlace>(
  'a place in a block',
  {
    blockNumber: blockParameterSchema,
    transactionIndex: /*#__PURE__*/ optional(/*#__PURE__*/ integer('an integer from -1 on', -1)),
  },
  { closed: true },
)

/** `debug_traceTransaction`. Source: execution-apis. */
export const debug_traceTransaction: RuleTable<DebugTraceMethods>['debug_traceTransaction'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceTransaction']['params']>(hashSchema, traceOptions),
  result: anything,
  paramNames: ['hash', 'options?'],
  effect: 'read',
  cache: 'head',
}

/** `debug_traceCall`. Source: go-ethereum debug_traceCall. */
export const debug_traceCall: RuleTable<DebugTraceMethods>['debug_traceCall'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceCall']['params']>(
    transactionCallSchema,
    optionalBlock,
    traceOptions,
  ),
  result: anything,
  paramNames: ['call', 'block?', 'options?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0.to', '0.authorizationList.address', '2.stateOverrides.*'],
}

/** `debug_traceCallMany`. Source: erigon. */
export const debug_traceCallMany: RuleTable<DebugTraceMethods>['debug_traceCallMany'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceCallMany']['params']>(
    /*#__PURE__*/ array(bundleSchema),
    placeSchema,
    traceOptions,
  ),
  result: /*#__PURE__*/ array(/*#__PURE__*/ array(anything)),
  paramNames: ['bundles', 'place', 'options?'],
  effect: 'read',
  addressPaths: ['0.transactions.to', '0.transactions.authorizationList.address', '2.stateOverrides.*'],
}

/** `debug_traceBlock`. Source: go-ethereum. */
export const debug_traceBlock: RuleTable<DebugTraceMethods>['debug_traceBlock'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceBlock']['params']>(dataSchema, traceOptions),
  result: blockTraces,
  paramNames: ['rlp', 'options?'],
  effect: 'read',
  cache: 'fixed',
  addressPaths: [],
}

/** `debug_traceBlockByNumber`. Source: execution-apis. */
export const debug_traceBlockByNumber: RuleTable<DebugTraceMethods>['debug_traceBlockByNumber'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceBlockByNumber']['params']>(
    blockNumberOrTagSchema,
    traceOptions,
  ),
  result: blockTraces,
  paramNames: ['block', 'options?'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `debug_traceBlockByHash`. Source: execution-apis. */
export const debug_traceBlockByHash: RuleTable<DebugTraceMethods>['debug_traceBlockByHash'] = {
  params: /*#__PURE__*/ tuple<DebugTraceMethods['debug_traceBlockByHash']['params']>(hashSchema, traceOptions),
  result: blockTraces,
  paramNames: ['blockHash', 'options?'],
  effect: 'read',
  cache: 'fixed',
}
