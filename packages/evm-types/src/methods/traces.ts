import {
  array,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  type RuleTable,
  type Schema,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import {
  type BlockNumberOrTag,
  blockNumberOrTagSchema,
  type BlockParameter,
  blockParameterSchema,
  optionalBlock,
} from '../block-parameter.ts'
import { type Address, addressSchema, dataSchema, type Hash, hashSchema, type Hex } from '../data.ts'
import { maybe } from '../maybe.ts'
import { indexSchema, type Quantity } from '../quantity.ts'
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** The content of a replay: its calls, each step, or its changes. Source: openethereum. */
export type TraceType = 'trace' | 'vmTrace' | 'stateDiff'

/** One call, creation, self-destruction or reward of a block. Numbers are plain JSON integers here. Source: openethereum. */
export interface Trace {
  /** `call`, `create`, `suicide` or `reward`. */
  readonly type: string
  /** The request; its members depend on the type. */
  readonly action: object
  /** The outcome; null if it failed for the reason in {@link Trace.error}. */
  readonly result?: object | null
  readonly error?: string | null
  /** The path to this call: an index for each level of nesting. */
  readonly traceAddress: readonly number[]
  readonly blockHash?: Hash | null
  readonly blockNumber?: number | null
  /** Null for a reward. */
  readonly transactionHash?: Hash | null
}

/** The result of a replay: `output`, and `trace`, `vmTrace` and `stateDiff` if requested. Source: openethereum. */
export type ReplayedTrace = object

/** The filter of `trace_filter`. Source: openethereum; `mode`: erigon. */
export interface TraceFilter {
  readonly fromBlock?: BlockNumberOrTag
  readonly toBlock?: BlockNumberOrTag
  readonly fromAddress?: readonly Address[]
  readonly toAddress?: readonly Address[]
  /** `intersection` if both addresses must match, `union` if either. */
  readonly mode?: 'union' | 'intersection'
  /** The number of matches to skip. */
  readonly after?: number
  /** The most matches to return. */
  readonly count?: number
}

/** Traces of executions in openethereum's forms; served by erigon, nethermind and reth, in part by besu and anvil. */
export interface TraceMethods {
  readonly trace_block: { readonly params: readonly [block: BlockParameter]; readonly result: readonly Trace[] | null }
  readonly trace_transaction: { readonly params: readonly [hash: Hash]; readonly result: readonly Trace[] | null }
  readonly trace_get: {
    /** The path to this call: an index for each level of nesting. */
    readonly params: readonly [hash: Hash, traceAddress: readonly Quantity[]]
    readonly result: Trace | null
  }
  readonly trace_filter: { readonly params: readonly [filter: TraceFilter]; readonly result: readonly Trace[] }
  readonly trace_call: {
    readonly params: readonly [call: TransactionCall, types: readonly TraceType[], block?: BlockParameter]
    readonly result: ReplayedTrace
  }
  readonly trace_callMany: {
    /** Each call runs on the state that the previous ones left. */
    readonly params: readonly [
      calls: readonly (readonly [call: TransactionCall, types: readonly TraceType[]])[],
      block?: BlockParameter,
    ]
    readonly result: readonly ReplayedTrace[]
  }
  readonly trace_rawTransaction: {
    readonly params: readonly [transaction: Hex, types: readonly TraceType[], block?: BlockParameter]
    readonly result: ReplayedTrace
  }
  readonly trace_replayTransaction: {
    readonly params: readonly [hash: Hash, types: readonly TraceType[]]
    readonly result: ReplayedTrace | null
  }
  readonly trace_replayBlockTransactions: {
    readonly params: readonly [block: BlockParameter, types: readonly TraceType[]]
    readonly result: readonly ReplayedTrace[] | null
  }
}

const openObject: Schema<object> = /*#__PURE__*/ object<object>('an object', {})
const count: Schema<number> = /*#__PURE__*/ integer('an integer, not negative', 0)
const types: Schema<readonly TraceType[]> = /*#__PURE__*/ array(
  /*#__PURE__*/ oneOf<TraceType>('trace', 'vmTrace', 'stateDiff'),
)
const addresses: Schema<readonly Address[]> = /*#__PURE__*/ array(addressSchema)

const traceSchema: Schema<Trace> = /*#__PURE__*/ object<Trace>('a trace', {
  type: /*#__PURE__*/ text('a type of trace'),
  action: openObject,
  result: /*#__PURE__*/ maybe(openObject),
  error: /*#__PURE__*/ maybe(/*#__PURE__*/ text('a reason')),
  traceAddress: /*#__PURE__*/ array(count),
  blockHash: /*#__PURE__*/ maybe(hashSchema),
  blockNumber: /*#__PURE__*/ maybe(count),
  transactionHash: /*#__PURE__*/ maybe(hashSchema),
})
const traces: Schema<readonly Trace[]> = /*#__PURE__*/ array(traceSchema)
const tracesOrNull: Schema<readonly Trace[] | null> = /*#__PURE__*/ nullable(traces)
const replays: Schema<readonly ReplayedTrace[]> = /*#__PURE__*/ array(openObject)

const filterSchema: Schema<TraceFilter> = /*#__PURE__*/ object<TraceFilter>(
  'a trace filter',
  {
    fromBlock: /*#__PURE__*/ optional(blockNumberOrTagSchema),
    toBlock: /*#__PURE__*/ optional(blockNumberOrTagSchema),
    fromAddress: /*#__PURE__*/ optional(addresses),
    toAddress: /*#__PURE__*/ optional(addresses),
    mode: /*#__PURE__*/ optional(/*#__PURE__*/ oneOf<'union' | 'intersection'>('union', 'intersection')),
    after: /*#__PURE__*/ optional(count),
    count: /*#__PURE__*/ optional(count),
  },
  { closed: true },
)

/** `trace_block`. Source: openethereum. */
export const trace_block: RuleTable<TraceMethods>['trace_block'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_block']['params']>(blockParameterSchema),
  result: tracesOrNull,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}

/** `trace_transaction`. Source: openethereum. */
export const trace_transaction: RuleTable<TraceMethods>['trace_transaction'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_transaction']['params']>(hashSchema),
  result: tracesOrNull,
  paramNames: ['hash'],
  effect: 'read',
  cache: 'result',
}

/** `trace_get`. Source: openethereum. */
export const trace_get: RuleTable<TraceMethods>['trace_get'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_get']['params']>(hashSchema, /*#__PURE__*/ array(indexSchema)),
  result: /*#__PURE__*/ nullable(traceSchema),
  paramNames: ['hash', 'traceAddress'],
  effect: 'read',
  cache: 'result',
}

/** `trace_filter`. Source: openethereum. */
export const trace_filter: RuleTable<TraceMethods>['trace_filter'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_filter']['params']>(filterSchema),
  result: traces,
  paramNames: ['traceFilter'],
  effect: 'read',
  cache: 'range',
  addressPaths: ['0.fromAddress', '0.toAddress'],
}

/** `trace_call`. Source: openethereum. */
export const trace_call: RuleTable<TraceMethods>['trace_call'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_call']['params']>(transactionCallSchema, types, optionalBlock),
  result: openObject,
  paramNames: ['call', 'types', 'block?'],
  effect: 'read',
  blockParam: 2,
  cache: 'block',
  addressPaths: ['0.to', '0.authorizationList.address'],
}

/** `trace_callMany`. Source: openethereum. */
export const trace_callMany: RuleTable<TraceMethods>['trace_callMany'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_callMany']['params']>(
    /*#__PURE__*/ array(
      /*#__PURE__*/ tuple<readonly [call: TransactionCall, types: readonly TraceType[]]>(transactionCallSchema, types),
    ),
    optionalBlock,
  ),
  result: replays,
  paramNames: ['calls', 'block?'],
  effect: 'read',
  blockParam: 1,
  cache: 'block',
  addressPaths: ['0.to', '0.authorizationList.address'],
}

/** `trace_rawTransaction`. It does not send the transaction. Source: openethereum; `block`: reth. */
export const trace_rawTransaction: RuleTable<TraceMethods>['trace_rawTransaction'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_rawTransaction']['params']>(dataSchema, types, optionalBlock),
  result: openObject,
  paramNames: ['transaction', 'types', 'block?'],
  effect: 'read',
  blockParam: 2,
  addressPaths: [],
}

/** `trace_replayTransaction`. Source: openethereum. */
export const trace_replayTransaction: RuleTable<TraceMethods>['trace_replayTransaction'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_replayTransaction']['params']>(hashSchema, types),
  result: /*#__PURE__*/ nullable(openObject),
  paramNames: ['hash', 'types'],
  effect: 'read',
  cache: 'head',
}

/** `trace_replayBlockTransactions`. Source: openethereum. */
export const trace_replayBlockTransactions: RuleTable<TraceMethods>['trace_replayBlockTransactions'] = {
  params: /*#__PURE__*/ tuple<TraceMethods['trace_replayBlockTransactions']['params']>(blockParameterSchema, types),
  result: /*#__PURE__*/ nullable(replays),
  paramNames: ['block', 'types'],
  effect: 'read',
  blockParam: 0,
  cache: 'block',
}
