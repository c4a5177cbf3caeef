import { array, object, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import type { StarknetErrorCode } from '../errors.ts'
import { type Felt, feltSchema, feltsSchema } from '../felt.ts'
import { type EstimateFlag, estimateFlags } from '../flags.ts'
import type { Hex } from '../hex.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { named, type Params } from '../params.ts'

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

interface Called<B> {
  readonly request: FunctionCall
  readonly block_id: B
}

/** `starknet_call`. `B`: a block. */
export type Call<B> = StarknetMethodSpec<
  Params<Called<B>, readonly [request: FunctionCall, block_id: B]>,
  readonly Felt[]
>

interface Estimated<B, T> {
  readonly request: readonly T[]
  readonly block_id: B
}

/** `starknet_estimateFee` up to 0.5.1. `T`: a transaction; `F`: a fee. Source: Spec §4.9. */
export type EstimateFee_0_5<B, T, F> = StarknetMethodSpec<
  Params<Estimated<B, T>, readonly [request: readonly T[], block_id: B]>,
  readonly F[]
>

interface EstimatedWithFlags<B, T> {
  readonly request: readonly T[]
  readonly simulation_flags: readonly EstimateFlag[]
  readonly block_id: B
}

/** `starknet_estimateFee` since 0.6. */
export type EstimateFee<B, T, F> = StarknetMethodSpec<
  Params<
    EstimatedWithFlags<B, T>,
    readonly [request: readonly T[], simulation_flags: readonly EstimateFlag[], block_id: B]
  >,
  readonly F[]
>

interface Message<B> {
  readonly message: MessageFromL1
  readonly block_id: B
}

/** `starknet_estimateMessageFee`. */
export type EstimateMessageFee<B, F> = StarknetMethodSpec<
  Params<Message<B>, readonly [message: MessageFromL1, block_id: B]>,
  F
>

const read = { source: 'starknet-specs', effect: 'read', cache: 'block' } as const
const estimate = {
  effect: 'read',
  cache: 'block',
  summary: 'What transactions would cost, each on the state that the ones before it leave.',
  source: 'Spec §4.9',
  // What an account calls stands in its calldata, in a form of its own.
  addressPaths: ['0.sender_address', '0.contract_address'],
} as const

/** `starknet_call`. */
export function call<B>(blockId: Schema<B>, errors: readonly StarknetErrorCode[]): Call<B> {
  const request = object<FunctionCall>('a call', {
    contract_address: feltSchema,
    entry_point_selector: feltSchema,
    calldata: feltsSchema,
  })
  return {
    ...read,
    summary: 'What a function of a contract gives, without a transaction.',
    ...named<Called<B>, readonly [request: FunctionCall, block_id: B]>({ request, block_id: blockId }),
    result: feltsSchema,
    blockParam: 1,
    addressPaths: ['0.contract_address'],
    errors,
  }
}

/** `starknet_estimateFee` up to 0.5.1. */
export function estimateFee_0_5<B, T, F>(
  blockId: Schema<B>,
  transaction: Schema<T>,
  fee: Schema<F>,
): EstimateFee_0_5<B, T, F> {
  return {
    ...estimate,
    ...named<Estimated<B, T>, readonly [request: readonly T[], block_id: B]>({
      request: array(transaction),
      block_id: blockId,
    }),
    result: array(fee),
    blockParam: 1,
    errors: [20, 40, 24],
  }
}

/** `starknet_estimateFee` since 0.6. */
export function estimateFee<B, T, F>(
  blockId: Schema<B>,
  transaction: Schema<T>,
  fee: Schema<F>,
  errors: readonly StarknetErrorCode[] = [41, 24],
): EstimateFee<B, T, F> {
  return {
    ...estimate,
    ...named<
      EstimatedWithFlags<B, T>,
      readonly [request: readonly T[], simulation_flags: readonly EstimateFlag[], block_id: B]
    >({ request: array(transaction), simulation_flags: estimateFlags, block_id: blockId }),
    result: array(fee),
    blockParam: 2,
    errors,
  }
}

/** `starknet_estimateMessageFee`. */
export function estimateMessageFee<B, F>(
  blockId: Schema<B>,
  result: Schema<F>,
  errors: readonly StarknetErrorCode[] = [40, 24],
): EstimateMessageFee<B, F> {
  const message = object<MessageFromL1>('a message from L1', {
    from_address: text<Hex>('an address on L1 (0x and 40 hex digits)', /^0x[\da-fA-F]{40}$/),
    to_address: feltSchema,
    entry_point_selector: feltSchema,
    payload: feltsSchema,
  })
  return {
    ...read,
    summary: 'What a message from L1 would cost.',
    ...named<Message<B>, readonly [message: MessageFromL1, block_id: B]>({ message, block_id: blockId }),
    result,
    blockParam: 1,
    addressPaths: ['0.to_address'],
    errors,
  }
}
