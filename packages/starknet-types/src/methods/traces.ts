import type { BlockId, BlockIdOf, BlockTag } from '../block-id.ts'
import type { BroadcastTransaction } from '../broadcast-transaction.ts'
import type { Felt } from '../felt.ts'
import type { SimulationFlagOf, TraceFlag } from '../flags.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { BlockTraces, Simulations } from '../simulation.ts'
import type { TransactionTrace } from '../trace.ts'
import type { From, StarknetVersion } from '../versions.ts'

interface Simulated<V extends StarknetVersion> {
  readonly block_id: BlockId<V>
  readonly transactions: readonly BroadcastTransaction<V>[]
  readonly simulation_flags: readonly SimulationFlagOf<V>[]
}

/** `starknet_simulateTransactions` of a version. Source: Spec §4.10. */
export type SimulateTransactions<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    Simulated<V>,
    readonly [
      block_id: BlockId<V>,
      transactions: readonly BroadcastTransaction<V>[],
      simulation_flags: readonly SimulationFlagOf<V>[],
    ]
  >,
  Simulations<V>
>

export type TraceTransaction<V extends StarknetVersion> = StarknetMethodSpec<
  Params<{ readonly transaction_hash: Felt }, readonly [transaction_hash: Felt]>,
  TransactionTrace<V>
>

/** A block whose transactions can be traced: not the one that is being built, from 0.9 on. */
type TracedBlockId<V extends StarknetVersion> = BlockIdOf<Exclude<BlockTag<V>, 'pre_confirmed'>>

export type TraceBlock<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.10',
    Params<
      { readonly block_id: TracedBlockId<V>; readonly trace_flags?: readonly TraceFlag[] },
      readonly [block_id: TracedBlockId<V>, trace_flags?: readonly TraceFlag[]]
    >,
    Params<{ readonly block_id: TracedBlockId<V> }, readonly [block_id: TracedBlockId<V>]>
  >,
  BlockTraces<V>
>
