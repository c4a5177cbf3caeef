import { array, boolean, choice, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { FeeEstimate } from './fee-estimate.ts'
import { type Felt, feltSchema } from './felt.ts'
import { objectOf } from './object-of.ts'
import type { TransactionTrace } from './trace.ts'
import type { From, StarknetVersion } from './versions.ts'

/** The cost and the effects of a simulated transaction. `F`: a fee estimate, `T`: a trace. Source: Spec §2.9. */
export interface Simulated<F, T> {
  readonly fee_estimation: F
  readonly transaction_trace: T
}

/**
 * The state before transactions that these read, since 0.10.1. Members are absent for a block whose traces are not those of
 * the chain. Source: Starknet RPC, `INITIAL_READS`.
 */
export interface InitialReads {
  readonly storage?: readonly { readonly contract_address: Felt; readonly key: Felt; readonly value: Felt }[]
  readonly nonces?: readonly { readonly contract_address: Felt; readonly nonce: Felt }[]
  readonly class_hashes?: readonly { readonly contract_address: Felt; readonly class_hash: Felt }[]
  readonly declared_contracts?: readonly { readonly class_hash: Felt; readonly is_declared: boolean }[]
}

/** Simulations and what they read, where `RETURN_INITIAL_READS` asked for it. */
export interface SimulatedWithReads<S> {
  readonly simulated_transactions: readonly S[]
  readonly initial_reads: InitialReads
}

/** A transaction of a block and its trace. */
export interface BlockTrace<T> {
  readonly transaction_hash: Felt
  readonly trace_root: T
}

/** Traces and what they read, where `RETURN_INITIAL_READS` asked for it. */
export interface TracesWithReads<T> {
  readonly traces: readonly BlockTrace<T>[]
  readonly initial_reads: InitialReads
}

type Read<K extends keyof InitialReads> = NonNullable<InitialReads[K]>[number]

const initialReads: Schema<InitialReads> = /*#__PURE__*/ initialReadsSchema()

function initialReadsSchema(): Schema<InitialReads> {
  return object<InitialReads>('initial reads', {
    storage: optional(
      array(object<Read<'storage'>>('a read', { contract_address: feltSchema, key: feltSchema, value: feltSchema })),
    ),
    nonces: optional(array(object<Read<'nonces'>>('a read', { contract_address: feltSchema, nonce: feltSchema }))),
    class_hashes: optional(
      array(object<Read<'class_hashes'>>('a read', { contract_address: feltSchema, class_hash: feltSchema })),
    ),
    declared_contracts: optional(
      array(object<Read<'declared_contracts'>>('a read', { class_hash: feltSchema, is_declared: boolean })),
    ),
  })
}

/** The answer of `starknet_simulateTransactions` in a version. */
export type Simulations<V extends StarknetVersion> = From<
  V,
  '0.10',
  readonly SimulatedIn<V>[] | SimulatedWithReads<SimulatedIn<V>>,
  readonly SimulatedIn<V>[]
>
type SimulatedIn<V extends StarknetVersion> = Simulated<FeeEstimate<V>, TransactionTrace<V>>

/** The answer of `starknet_traceBlockTransactions` in a version. */
export type BlockTraces<V extends StarknetVersion> = From<
  V,
  '0.10',
  readonly BlockTrace<TransactionTrace<V>>[] | TracesWithReads<TransactionTrace<V>>,
  readonly BlockTrace<TransactionTrace<V>>[]
>

/** Checks simulations up to 0.9. */
export function simulations_0_5<F, T>(fee: Schema<F>, trace: Schema<T>): Schema<readonly Simulated<F, T>[]> {
  return array(objectOf<Simulated<F, T>>('a simulation', { fee_estimation: fee, transaction_trace: trace }))
}

/** Checks simulations since 0.10. */
export function simulations_0_10<F, T>(
  fee: Schema<F>,
  trace: Schema<T>,
): Schema<readonly Simulated<F, T>[] | SimulatedWithReads<Simulated<F, T>>> {
  const list = simulations_0_5(fee, trace)
  return listOr(
    list,
    objectOf<SimulatedWithReads<Simulated<F, T>>>('simulations and what they read', {
      simulated_transactions: list,
      initial_reads: initialReads,
    }),
  )
}

/** Checks the traces of a block up to 0.9. */
export function blockTraces_0_5<T>(trace: Schema<T>): Schema<readonly BlockTrace<T>[]> {
  return array(objectOf<BlockTrace<T>>('a trace of a block', { transaction_hash: feltSchema, trace_root: trace }))
}

/** Checks the traces of a block since 0.10. */
export function blockTraces_0_10<T>(trace: Schema<T>): Schema<readonly BlockTrace<T>[] | TracesWithReads<T>> {
  const list = blockTraces_0_5(trace)
  return listOr(
    list,
    objectOf<TracesWithReads<T>>('traces and what was read', { traces: list, initial_reads: initialReads }),
  )
}

/** A list, or an object around it. */
function listOr<L, O>(list: Schema<readonly L[]>, whole: Schema<O>): Schema<readonly L[] | O> {
  return choice<readonly L[] | O>(list.expected, (value) => (Array.isArray(value) ? list : whole))
}
