import {
  type AnySchema,
  anything,
  array,
  boolean,
  choice,
  object,
  oneOf,
  optional,
  type Schema,
  text,
} from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from './block-id.ts'
import { byKind } from './by-kind.ts'
import type { EventContent } from './event.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { type Members, objectOf } from './object-of.ts'
import {
  callGas,
  type CallGas,
  type Computation,
  computation_0_6,
  type ComputationAndData,
  computationAndData,
  type TransactionGas,
  transactionGas,
} from './resources.ts'
import { type StateDiff, stateDiffSchema } from './state-update.ts'
import type { StarknetVersion } from './versions.ts'

/** `C`: the call itself, with what its version adds. */
interface Call<C> {
  readonly contract_address: Felt
  readonly entry_point_selector: Felt
  readonly calldata: readonly Felt[]
  readonly caller_address: Felt
  readonly class_hash: Felt
  readonly entry_point_type: 'EXTERNAL' | 'L1_HANDLER' | 'CONSTRUCTOR'
  readonly call_type: 'CALL' | 'LIBRARY_CALL' | 'DELEGATE'
  readonly result: readonly Felt[]
  readonly calls: readonly C[]
  readonly events: readonly OrderedEvent[]
  readonly messages: readonly OrderedMessage[]
}

/** An event and its place among those of the transaction. */
export interface OrderedEvent extends EventContent {
  readonly order?: number
}

/** A message to L1. */
export interface MessageToL1 {
  readonly from_address: Felt
  readonly to_address: Felt
  readonly payload: readonly Felt[]
}

/** A message to L1 and its place among those of the transaction. */
export interface OrderedMessage extends MessageToL1 {
  readonly order?: number
}

/** A call of 0.5.1. */
interface Call_0_5 extends Call<Call_0_5> {}

/** A call of 0.6 and 0.7. */
interface Call_0_6 extends Call<Call_0_6> {
  readonly execution_resources: Computation<number>
}

/** A call since 0.8. */
interface Call_0_8 extends Call<Call_0_8> {
  readonly execution_resources: CallGas
  /** The call panicked; its caller may have gone on. */
  readonly is_reverted: boolean
}

interface Calls {
  readonly '0.5.1': Call_0_5
  readonly '0.6': Call_0_6
  readonly '0.7': Call_0_6
  readonly '0.8': Call_0_8
  readonly '0.9': Call_0_8
  readonly '0.10': Call_0_8
}

/** A call of a contract, and all that it called. Source: Starknet RPC, `FUNCTION_INVOCATION`. */
export type FunctionInvocation<V extends StarknetVersion = StarknetVersion> = Calls[V]

/** The outcome of a call that failed. */
export interface Reverted {
  readonly revert_reason: string
}

/** `C`: a call; `L`: the outcome of a message from L1. */
type TraceOf<C, L> =
  | {
      readonly type: 'INVOKE'
      readonly validate_invocation?: C
      readonly execute_invocation: C | Reverted
      readonly fee_transfer_invocation?: C
      readonly state_diff?: StateDiff
    }
  | {
      readonly type: 'DECLARE'
      readonly validate_invocation?: C
      readonly fee_transfer_invocation?: C
      readonly state_diff?: StateDiff
    }
  | {
      readonly type: 'DEPLOY_ACCOUNT'
      readonly validate_invocation?: C
      readonly constructor_invocation: C
      readonly fee_transfer_invocation?: C
      readonly state_diff?: StateDiff
    }
  | { readonly type: 'L1_HANDLER'; readonly function_invocation: L; readonly state_diff?: StateDiff }

interface Traces {
  readonly '0.5.1': TraceOf<Call_0_5, Call_0_5>
  readonly '0.6': TraceOf<Call_0_6, Call_0_6>
  readonly '0.7': TraceOf<Call_0_6, Call_0_6> & { readonly execution_resources: ComputationAndData }
  readonly '0.8': TraceOf<Call_0_8, Call_0_8> & { readonly execution_resources: TransactionGas }
  readonly '0.9': TraceOf<Call_0_8, Call_0_8 | Reverted> & { readonly execution_resources: TransactionGas }
  readonly '0.10': TraceOf<Call_0_8, Call_0_8 | Reverted> & { readonly execution_resources: TransactionGas }
}

/** The calls and changes of a transaction. Source: Spec §2.9; Starknet RPC, `TRANSACTION_TRACE`. */
export type TransactionTrace<V extends StarknetVersion = StarknetVersion> = Traces[V]

export const messageToL1Schema: Schema<MessageToL1> = /*#__PURE__*/ object<MessageToL1>('a message to L1', {
  from_address: feltSchema,
  to_address: feltSchema,
  payload: feltsSchema,
})

/** A call, then those it made; without recursion, as nobody promises how deep they are. */
function callSchema<C extends Call<C>>(more: Members<Omit<C, keyof Call<C>>>): Schema<C> {
  const order = optional(indexSchema)
  const own = objectOf<Call<unknown>>('a call', {
    contract_address: feltSchema,
    entry_point_selector: feltSchema,
    calldata: feltsSchema,
    caller_address: feltSchema,
    class_hash: feltSchema,
    entry_point_type: oneOf('EXTERNAL', 'L1_HANDLER', 'CONSTRUCTOR'),
    call_type: oneOf('CALL', 'LIBRARY_CALL', 'DELEGATE'),
    result: feltsSchema,
    calls: array(anything),
    events: array(object<OrderedEvent>('an event', { order, keys: feltsSchema, data: feltsSchema })),
    messages: array(
      object<OrderedMessage>('a message to L1', {
        order,
        from_address: feltSchema,
        to_address: feltSchema,
        payload: feltsSchema,
      }),
    ),
    ...more,
  })
  return {
    expected: own.expected,
    check(value, path) {
      const left: (readonly [call: unknown, path: string])[] = [[value, path]]
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const [call, at] = next
        const issue = own.check(call, at)
        if (issue !== undefined) return issue
        for (const [i, inner] of (call as Call<unknown>).calls.entries()) left.push([inner, `${at}.calls[${i}]`])
      }
      return undefined
    },
  }
}

const reverted: Schema<Reverted> = /*#__PURE__*/ object<Reverted>('a reverted call', {
  revert_reason: /*#__PURE__*/ text('a reason'),
})

function orReverted<C>(call: Schema<C>): Schema<C | Reverted> {
  return choice<C | Reverted>('a call or { revert_reason }', (value) =>
    'revert_reason' in Object(value) ? reverted : call,
  )
}

function traceSchema<T>(call: AnySchema, l1Handler: AnySchema, resources?: AnySchema): Schema<T> {
  const maybe = optional<unknown>(call)
  const rest = { state_diff: optional(stateDiffSchema), ...(resources && { execution_resources: resources }) }
  const around = { validate_invocation: maybe, fee_transfer_invocation: maybe, ...rest }
  return byKind<T>('a trace', {
    INVOKE: { ...around, execute_invocation: orReverted<unknown>(call) },
    DECLARE: around,
    DEPLOY_ACCOUNT: { ...around, constructor_invocation: call },
    L1_HANDLER: { ...rest, function_invocation: l1Handler },
  })
}

const call_0_5: Schema<Call_0_5> = /*#__PURE__*/ callSchema<Call_0_5>({})
const call_0_6: Schema<Call_0_6> = /*#__PURE__*/ callSchema<Call_0_6>({ execution_resources: computation_0_6 })
const call_0_8: Schema<Call_0_8> = /*#__PURE__*/ callSchema<Call_0_8>({
  execution_resources: callGas,
  is_reverted: boolean,
})

export const trace_0_5: Schema<TransactionTrace<'0.5.1'>> = /*#__PURE__*/ traceSchema(call_0_5, call_0_5)
export const trace_0_6: Schema<TransactionTrace<'0.6'>> = /*#__PURE__*/ traceSchema(call_0_6, call_0_6)
export const trace_0_7: Schema<TransactionTrace<'0.7'>> = /*#__PURE__*/ traceSchema(
  call_0_6,
  call_0_6,
  computationAndData,
)
export const trace_0_8: Schema<TransactionTrace<'0.8'>> = /*#__PURE__*/ traceSchema(call_0_8, call_0_8, transactionGas)
/** Checks a {@link TransactionTrace} since 0.9. */
export const trace_0_9: Schema<TransactionTrace<'0.9'>> = /*#__PURE__*/ traceSchema(
  call_0_8,
  /*#__PURE__*/ orReverted(call_0_8),
  transactionGas,
)
