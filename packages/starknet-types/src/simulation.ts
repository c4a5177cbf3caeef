import { array, boolean, choice, object, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { type Felt, feltSchema } from './felt.ts'

/** What a simulated transaction would cost and do. `F`: a fee estimate, `T`: a trace. Source: Spec §2.9. */
export interface Simulated<F, T> {
  readonly fee_estimation: F
  readonly transaction_trace: T
}

/**
 * What transactions read of the state before them, since 0.10.1; of a block without a member where its traces are not
 * those of the chain. Source: Starknet RPC, `INITIAL_READS`.
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

/** What a transaction of a block did. */
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

/** Checks {@link InitialReads}. */
export const initialReadsSchema: Schema<InitialReads> = /*#__PURE__*/ initialReads()

function initialReads(): Schema<InitialReads> {
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

/** A list, or an object around it. */
export function listOr<L, O>(list: Schema<readonly L[]>, whole: Schema<O>): Schema<readonly L[] | O> {
  return choice<readonly L[] | O>(list.expected, (value) => (Array.isArray(value) ? list : whole))
}
