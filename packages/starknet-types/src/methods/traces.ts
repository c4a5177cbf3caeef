import { array, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import type { StarknetErrorCode } from '../errors.ts'
import { type Felt, feltSchema } from '../felt.ts'
import {
  type SimulationFlag,
  simulationFlags,
  type SimulationFlag_0_10,
  simulationFlags_0_10,
  type TraceFlag,
  traceFlags,
} from '../flags.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { objectOf } from '../object-of.ts'
import { named, type Params } from '../params.ts'
import {
  type BlockTrace,
  initialReadsSchema,
  listOr,
  type Simulated,
  type SimulatedWithReads,
  type TracesWithReads,
} from '../simulation.ts'

interface Simulation<B, T, G> {
  readonly block_id: B
  readonly transactions: readonly T[]
  readonly simulation_flags: readonly G[]
}

/** `starknet_simulateTransactions`. `B`: a block; `T`: a transaction; `G`: a flag; `R`: the answer. Source: Spec §4.10. */
export type SimulateTransactions<B, T, G, R> = StarknetMethodSpec<
  Params<Simulation<B, T, G>, readonly [block_id: B, transactions: readonly T[], simulation_flags: readonly G[]]>,
  R
>

/** `starknet_traceTransaction`. `R`: a trace. */
export type TraceTransaction<R> = StarknetMethodSpec<
  Params<{ readonly transaction_hash: Felt }, readonly [transaction_hash: Felt]>,
  R
>

/** `starknet_traceBlockTransactions` up to 0.9. */
export type TraceBlock<B, R> = StarknetMethodSpec<
  Params<{ readonly block_id: B }, readonly [block_id: B]>,
  readonly BlockTrace<R>[]
>

interface BlockAndFlags<B> {
  readonly block_id: B
  readonly trace_flags?: readonly TraceFlag[]
}

/** `starknet_traceBlockTransactions` since 0.10.1. */
export type TraceFlaggedBlock<B, R> = StarknetMethodSpec<
  Params<BlockAndFlags<B>, readonly [block_id: B, trace_flags?: readonly TraceFlag[]]>,
  readonly BlockTrace<R>[] | TracesWithReads<R>
>

const traceBlock = {
  summary: 'What each transaction of a block did.',
  source: 'starknet-specs',
  effect: 'read',
  blockParam: 0,
  cache: 'block',
  errors: [24],
} as const

/** `starknet_simulateTransactions` up to 0.9. */
export function simulateTransactions<B, T, F, R>(
  blockId: Schema<B>,
  transaction: Schema<T>,
  fee: Schema<F>,
  trace: Schema<R>,
  errors: readonly StarknetErrorCode[] = [24, 41],
): SimulateTransactions<B, T, SimulationFlag, readonly Simulated<F, R>[]> {
  return simulation(blockId, transaction, simulationFlags, array(simulated(fee, trace)), errors)
}

/** `starknet_simulateTransactions` since 0.10.1. */
export function simulateTransactions_0_10<B, T, F, R>(
  blockId: Schema<B>,
  transaction: Schema<T>,
  fee: Schema<F>,
  trace: Schema<R>,
): SimulateTransactions<B, T, SimulationFlag_0_10, readonly Simulated<F, R>[] | SimulatedWithReads<Simulated<F, R>>> {
  const list = array(simulated(fee, trace))
  const whole = objectOf<SimulatedWithReads<Simulated<F, R>>>('simulations and what they read', {
    simulated_transactions: list,
    initial_reads: initialReadsSchema,
  })
  return simulation(blockId, transaction, simulationFlags_0_10, listOr(list, whole), [24, 41])
}

/** `starknet_traceTransaction`. */
export function traceTransaction<R>(
  result: Schema<R>,
  errors: readonly StarknetErrorCode[] = [29, 10],
): TraceTransaction<R> {
  return {
    summary: 'What a transaction did.',
    source: 'starknet-specs',
    ...named<{ readonly transaction_hash: Felt }, readonly [transaction_hash: Felt]>({ transaction_hash: feltSchema }),
    result,
    effect: 'read',
    cache: 'head',
    errors,
  }
}

/** `starknet_traceBlockTransactions` up to 0.9. */
export function traceBlockTransactions<B, R>(blockId: Schema<B>, trace: Schema<R>): TraceBlock<B, R> {
  return {
    ...traceBlock,
    ...named<{ readonly block_id: B }, readonly [block_id: B]>({ block_id: blockId }),
    result: array(blockTrace(trace)),
  }
}

/** `starknet_traceBlockTransactions` since 0.10.1. */
export function traceFlaggedBlockTransactions<B, R>(blockId: Schema<B>, trace: Schema<R>): TraceFlaggedBlock<B, R> {
  const list = array(blockTrace(trace))
  const whole = objectOf<TracesWithReads<R>>('traces and what was read', {
    traces: list,
    initial_reads: initialReadsSchema,
  })
  return {
    ...traceBlock,
    ...named<BlockAndFlags<B>, readonly [block_id: B, trace_flags?: readonly TraceFlag[]]>({
      block_id: blockId,
      trace_flags: optional(traceFlags),
    }),
    result: listOr(list, whole),
  }
}

function simulated<F, R>(fee: Schema<F>, trace: Schema<R>): Schema<Simulated<F, R>> {
  return objectOf<Simulated<F, R>>('a simulation', { fee_estimation: fee, transaction_trace: trace })
}

function blockTrace<R>(trace: Schema<R>): Schema<BlockTrace<R>> {
  return objectOf<BlockTrace<R>>('a trace of a block', { transaction_hash: feltSchema, trace_root: trace })
}

function simulation<B, T, G, R>(
  blockId: Schema<B>,
  transaction: Schema<T>,
  flags: Schema<readonly G[]>,
  result: Schema<R>,
  errors: readonly StarknetErrorCode[],
): SimulateTransactions<B, T, G, R> {
  return {
    summary: 'What transactions would do and cost, each on the state that the ones before it leave.',
    source: 'Spec §4.10',
    ...named<Simulation<B, T, G>, readonly [block_id: B, transactions: readonly T[], simulation_flags: readonly G[]]>({
      block_id: blockId,
      transactions: array(transaction),
      simulation_flags: flags,
    }),
    result,
    effect: 'read',
    blockParam: 0,
    cache: 'block',
    // What an account calls stands in its calldata, in a form of its own.
    addressPaths: ['1.sender_address', '1.contract_address'],
    errors,
  }
}
