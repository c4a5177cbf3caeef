import { object, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { BlockId } from '../block-id.ts'
import type { BroadcastTransaction } from '../broadcast-transaction.ts'
import type { FeeEstimate } from '../fee-estimate.ts'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import type { EstimateFlag } from '../flags.ts'
import type { Hex } from '../hex.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { From, StarknetVersion } from '../versions.ts'

/** A function of a contract and what it is called with. */
export interface FunctionCall {
  readonly contract_address: Felt
  readonly entry_point_selector: Felt
  readonly calldata: readonly Felt[]
}

/** A message that L1 would send. */
export interface MessageFromL1 {
  /** On L1: 20 bytes. */
  readonly from_address: Hex
  readonly to_address: Felt
  readonly entry_point_selector: Felt
  readonly payload: readonly Felt[]
}

export type Call<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    { readonly request: FunctionCall; readonly block_id: BlockId<V> },
    readonly [request: FunctionCall, block_id: BlockId<V>]
  >,
  readonly Felt[]
>

interface Estimated<V extends StarknetVersion> {
  readonly request: readonly BroadcastTransaction<V>[]
  readonly block_id: BlockId<V>
}

interface EstimatedWithFlags<V extends StarknetVersion> extends Estimated<V> {
  readonly simulation_flags: readonly EstimateFlag[]
}

/** `starknet_estimateFee` of a version. Source: Spec §4.9. */
export type EstimateFee<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.6',
    Params<
      EstimatedWithFlags<V>,
      readonly [
        request: readonly BroadcastTransaction<V>[],
        simulation_flags: readonly EstimateFlag[],
        block_id: BlockId<V>,
      ]
    >,
    Params<Estimated<V>, readonly [request: readonly BroadcastTransaction<V>[], block_id: BlockId<V>]>
  >,
  readonly FeeEstimate<V>[]
>

export type EstimateMessageFee<V extends StarknetVersion> = StarknetMethodSpec<
  Params<
    { readonly message: MessageFromL1; readonly block_id: BlockId<V> },
    readonly [message: MessageFromL1, block_id: BlockId<V>]
  >,
  FeeEstimate<V>
>

export const functionCallSchema: Schema<FunctionCall> = /*#__PURE__*/ object<FunctionCall>('a call', {
  contract_address: feltSchema,
  entry_point_selector: feltSchema,
  calldata: feltsSchema,
})

export const messageFromL1Schema: Schema<MessageFromL1> = /*#__PURE__*/ object<MessageFromL1>('a message from L1', {
  from_address: /*#__PURE__*/ text<Hex>('an address on L1 (0x and 40 hex digits)', /^0x[\da-fA-F]{40}$/),
  to_address: feltSchema,
  entry_point_selector: feltSchema,
  payload: feltsSchema,
})
