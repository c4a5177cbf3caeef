import { optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from '../block-id.ts'
import { type Felt, feltsSchema } from '../felt.ts'
import { type TransactionFlag, transactionFlags } from '../flags.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { named, type Params } from '../params.ts'
import { type StateUpdate, stateUpdateSchema } from '../state-update.ts'

type OfBlock<B> = Params<{ readonly block_id: B }, readonly [block_id: B]>

/** What a block holds of a method's own kind. `B`: a block; `R`: the answer. */
export type BlockMethod<B, R> = StarknetMethodSpec<OfBlock<B>, R>

/** The same, with flags. */
export type FlaggedBlockMethod<B, R> = StarknetMethodSpec<
  Params<
    { readonly block_id: B; readonly response_flags?: readonly TransactionFlag[] },
    readonly [block_id: B, response_flags?: readonly TransactionFlag[]]
  >,
  R
>

/** `starknet_getStateUpdate` since 0.10.1. */
export type FilteredStateUpdate<B> = StarknetMethodSpec<
  Params<
    { readonly block_id: B; readonly contract_addresses?: readonly Felt[] },
    readonly [block_id: B, contract_addresses?: readonly Felt[]]
  >,
  StateUpdate
>

const ofBlock = { source: 'starknet-specs', effect: 'read', blockParam: 0, errors: [24] } as const

/** A block changes once more after it was made: when L1 has it. So it is not kept for long. */
const withTxHashes = { summary: 'A block with the hashes of its transactions.', cache: 'head' } as const
const withTxs = { summary: 'A block with its transactions.', cache: 'head' } as const
const withReceipts = { summary: 'A block with its transactions and their receipts.', cache: 'head' } as const
const stateUpdate = {
  summary: 'What a block changed in the state.',
  cache: 'block',
  result: stateUpdateSchema,
} as const

/** `starknet_getBlockWithTxHashes`. */
export function getBlockWithTxHashes<B, R>(blockId: Schema<B>, result: Schema<R>): BlockMethod<B, R> {
  return { ...ofBlock, ...withTxHashes, ...byBlock(blockId), result }
}

/** `starknet_getBlockWithTxs` up to 0.9. */
export function getBlockWithTxs<B, R>(blockId: Schema<B>, result: Schema<R>): BlockMethod<B, R> {
  return { ...ofBlock, ...withTxs, ...byBlock(blockId), result }
}

/** `starknet_getBlockWithTxs` since 0.10.1. */
export function getFlaggedBlockWithTxs<B, R>(blockId: Schema<B>, result: Schema<R>): FlaggedBlockMethod<B, R> {
  return { ...ofBlock, ...withTxs, ...byBlockAndFlags(blockId), result }
}

/** `starknet_getBlockWithReceipts`, since 0.7. */
export function getBlockWithReceipts<B, R>(blockId: Schema<B>, result: Schema<R>): BlockMethod<B, R> {
  return { ...ofBlock, ...withReceipts, ...byBlock(blockId), result }
}

/** `starknet_getBlockWithReceipts` since 0.10.1. */
export function getFlaggedBlockWithReceipts<B, R>(blockId: Schema<B>, result: Schema<R>): FlaggedBlockMethod<B, R> {
  return { ...ofBlock, ...withReceipts, ...byBlockAndFlags(blockId), result }
}

/** `starknet_getBlockTransactionCount`. */
export function getBlockTransactionCount<B>(blockId: Schema<B>): BlockMethod<B, number> {
  return {
    ...ofBlock,
    summary: 'How many transactions a block has.',
    cache: 'block',
    ...byBlock(blockId),
    result: indexSchema,
  }
}

/** `starknet_getStateUpdate` up to 0.9. */
export function getStateUpdate<B>(blockId: Schema<B>): BlockMethod<B, StateUpdate> {
  return { ...ofBlock, ...stateUpdate, ...byBlock(blockId) }
}

/** `starknet_getStateUpdate` since 0.10.1. */
export function getFilteredStateUpdate<B>(blockId: Schema<B>): FilteredStateUpdate<B> {
  return {
    ...ofBlock,
    ...stateUpdate,
    ...named<
      { readonly block_id: B; readonly contract_addresses?: readonly Felt[] },
      readonly [block_id: B, contract_addresses?: readonly Felt[]]
    >({ block_id: blockId, contract_addresses: optional(feltsSchema) }),
  }
}

function byBlock<B>(blockId: Schema<B>): Pick<BlockMethod<B, unknown>, 'params' | 'paramNames'> {
  return named<{ readonly block_id: B }, readonly [block_id: B]>({ block_id: blockId })
}

function byBlockAndFlags<B>(blockId: Schema<B>): Pick<FlaggedBlockMethod<B, unknown>, 'params' | 'paramNames'> {
  return named<
    { readonly block_id: B; readonly response_flags?: readonly TransactionFlag[] },
    readonly [block_id: B, response_flags?: readonly TransactionFlag[]]
  >({ block_id: blockId, response_flags: optional(transactionFlags) })
}
