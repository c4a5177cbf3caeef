import { choice, is, object, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from '../block-id.ts'
import { type Felt, feltSchema } from '../felt.ts'
import { type Hex, hexSchema } from '../hex.ts'
import { specOf, type StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import * as table from './table.ts'

/** The progress of a node that is catching up. Source: Starknet RPC, `SYNC_STATUS`. */
export interface SyncStatus {
  readonly starting_block_hash: Felt
  readonly starting_block_num: number
  readonly current_block_hash: Felt
  readonly current_block_num: number
  readonly highest_block_hash: Felt
  readonly highest_block_num: number
}

/** A block by its hash and its height. */
export interface BlockHashAndNumber {
  readonly block_hash: Felt
  readonly block_number: number
}

/** Params of a method that takes none. */
export type NoParams = Params<Readonly<Record<never, never>>, readonly []>

const syncStatus: Schema<SyncStatus> = /*#__PURE__*/ object<SyncStatus>('a sync status', {
  starting_block_hash: feltSchema,
  starting_block_num: indexSchema,
  current_block_hash: feltSchema,
  current_block_num: indexSchema,
  highest_block_hash: feltSchema,
  highest_block_num: indexSchema,
})

// The methods below are the same in all versions, so the oldest one stands for them.

/** `starknet_specVersion`: `0.8.1`. */
export const starknet_specVersion: StarknetMethodSpec<NoParams, string> = /*#__PURE__*/ specOf(
  5,
  table.starknet_specVersion,
  [],
  /*#__PURE__*/ text('a version'),
)

/** `starknet_chainId`: a short string, `SN_MAIN`. */
export const starknet_chainId: StarknetMethodSpec<NoParams, Hex> = /*#__PURE__*/ specOf(
  5,
  table.starknet_chainId,
  [],
  hexSchema,
)

/** `starknet_blockNumber`. */
export const starknet_blockNumber: StarknetMethodSpec<NoParams, number> = /*#__PURE__*/ specOf(
  5,
  table.starknet_blockNumber,
  [],
  indexSchema,
)

/** `starknet_blockHashAndNumber`. */
export const starknet_blockHashAndNumber: StarknetMethodSpec<NoParams, BlockHashAndNumber> = /*#__PURE__*/ specOf(
  5,
  table.starknet_blockHashAndNumber,
  [],
  /*#__PURE__*/ object<BlockHashAndNumber>('a block', { block_hash: feltSchema, block_number: indexSchema }),
)

/** `starknet_syncing`: false, or how far it has come. */
export const starknet_syncing: StarknetMethodSpec<NoParams, false | SyncStatus> = /*#__PURE__*/ specOf(
  5,
  table.starknet_syncing,
  [],
  /*#__PURE__*/ choice<false | SyncStatus>('false or a sync status', (value) => (value === false ? no : syncStatus), [
    syncStatus,
  ]),
)

const no: Schema<false> = /*#__PURE__*/ is('false', (value) => value === false)
