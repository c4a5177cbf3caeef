import {
  anything,
  array,
  type MethodTable,
  object,
  optional,
  type OptionalSchema,
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
import { type TransactionCall, transactionCallSchema } from '../transaction-call.ts'

/** What a tracer shows and how: `tracer`, `tracerConfig`, `timeout`, …; nodes know more members than others. */
export type TraceOptions = object

/** What the traces of a block's transactions say; their form is the tracer's. Source: go-ethereum. */
export interface BlockTrace {
  readonly txHash?: Hash
  readonly result?: unknown
  readonly error?: unknown
}

/** Encoded data and traces, from nodes that offer them. What a trace looks like depends on its tracer. */
export interface DebugMethods {
  readonly debug_getRawHeader: { readonly params: readonly [block: BlockParameter]; readonly result: Hex }
  readonly debug_getRawBlock: { readonly params: readonly [block: BlockParameter]; readonly result: Hex }
  readonly debug_getRawReceipts: { readonly params: readonly [block: BlockParameter]; readonly result: readonly Hex[] }
  readonly debug_getRawTransaction: { readonly params: readonly [hash: Hash]; readonly result: Hex }
  readonly debug_traceTransaction: {
    readonly params: readonly [hash: Hash, options?: TraceOptions]
    readonly result: unknown
  }
  readonly debug_traceCall: {
    readonly params: readonly [call: TransactionCall, block?: BlockParameter, options?: TraceOptions]
    readonly result: unknown
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
  /*#__PURE__*/ object<BlockTrace>('a trace', {
    txHash: /*#__PURE__*/ optional(hashSchema),
    result: /*#__PURE__*/ optional(anything),
    error: /*#__PURE__*/ optional(anything),
  }),
)

/** `debug_getRawHeader`. Source: execution-apis. */
export const debug_getRawHeader: MethodTable<DebugMethods>['debug_getRawHeader'] = {
  summary: 'The header of a block, RLP-encoded.',
  source: 'execution-apis debug_getRawHeader',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawHeader']['params']>(blockParameterSchema),
  result: dataSchema,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
}

/** `debug_getRawBlock`. Source: execution-apis. */
export const debug_getRawBlock: MethodTable<DebugMethods>['debug_getRawBlock'] = {
  summary: 'A block, RLP-encoded.',
  source: 'execution-apis debug_getRawBlock',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawBlock']['params']>(blockParameterSchema),
  result: dataSchema,
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
}

/** `debug_getRawReceipts`. Source: execution-apis. */
export const debug_getRawReceipts: MethodTable<DebugMethods>['debug_getRawReceipts'] = {
  summary: 'The receipts of a block, each encoded.',
  source: 'execution-apis debug_getRawReceipts',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawReceipts']['params']>(blockParameterSchema),
  result: /*#__PURE__*/ array(dataSchema),
  paramNames: ['block'],
  effect: 'read',
  blockParam: 0,
}

/** `debug_getRawTransaction`. Source: execution-apis. */
export const debug_getRawTransaction: MethodTable<DebugMethods>['debug_getRawTransaction'] = {
  summary: 'A transaction as it went over the network.',
  source: 'execution-apis debug_getRawTransaction',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_getRawTransaction']['params']>(hashSchema),
  result: dataSchema,
  paramNames: ['hash'],
  effect: 'read',
}

/** `debug_traceTransaction`. Source: execution-apis. */
export const debug_traceTransaction: MethodTable<DebugMethods>['debug_traceTransaction'] = {
  summary: 'How a transaction was executed.',
  source: 'execution-apis debug_traceTransaction',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_traceTransaction']['params']>(hashSchema, traceOptions),
  result: anything,
  paramNames: ['hash', 'options?'],
  effect: 'read',
}

/** `debug_traceCall`. Source: go-ethereum debug_traceCall. */
export const debug_traceCall: MethodTable<DebugMethods>['debug_traceCall'] = {
  summary: 'How a call would be executed.',
  source: 'go-ethereum debug_traceCall',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_traceCall']['params']>(
    transactionCallSchema,
    optionalBlock,
    traceOptions,
  ),
  result: anything,
  paramNames: ['call', 'block?', 'options?'],
  effect: 'read',
  blockParam: 1,
  addressPaths: ['0.to'],
}

/** `debug_traceBlockByNumber`. Source: execution-apis. */
export const debug_traceBlockByNumber: MethodTable<DebugMethods>['debug_traceBlockByNumber'] = {
  summary: 'How the transactions of a block were executed, by its number or tag.',
  source: 'execution-apis debug_traceBlockByNumber',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_traceBlockByNumber']['params']>(blockNumberOrTagSchema, traceOptions),
  result: blockTraces,
  paramNames: ['block', 'options?'],
  effect: 'read',
  blockParam: 0,
}

/** `debug_traceBlockByHash`. Source: execution-apis. */
export const debug_traceBlockByHash: MethodTable<DebugMethods>['debug_traceBlockByHash'] = {
  summary: 'How the transactions of a block were executed, by its hash.',
  source: 'execution-apis debug_traceBlockByHash',
  params: /*#__PURE__*/ tuple<DebugMethods['debug_traceBlockByHash']['params']>(hashSchema, traceOptions),
  result: blockTraces,
  paramNames: ['blockHash', 'options?'],
  effect: 'read',
}
