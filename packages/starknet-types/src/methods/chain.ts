import { choice, is, object, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from '../block-id.ts'
import { type Felt, feltSchema } from '../felt.ts'
import { type Hex, hexSchema } from '../hex.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { named, type Params } from '../params.ts'

/** How far a node has come. Source: Starknet RPC, `SYNC_STATUS`. */
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

/** Of a method that takes nothing. */
export type NoParams = Params<Readonly<Record<never, never>>, readonly []>

const syncStatus: Schema<SyncStatus> = /*#__PURE__*/ object<SyncStatus>('a sync status', {
  starting_block_hash: feltSchema,
  starting_block_num: indexSchema,
  current_block_hash: feltSchema,
  current_block_num: indexSchema,
  highest_block_hash: feltSchema,
  highest_block_num: indexSchema,
})

function plain<R>(
  summary: string,
  result: Schema<R>,
  more: Partial<Pick<StarknetMethodSpec<NoParams, R>, 'cache' | 'errors'>> = {},
): StarknetMethodSpec<NoParams, R> {
  return {
    summary,
    source: 'starknet-specs',
    ...named<Readonly<Record<never, never>>, readonly []>({}),
    result,
    effect: 'read',
    errors: [],
    ...more,
  }
}

/** `starknet_specVersion`: `0.8.1`. */
export const starknet_specVersion: StarknetMethodSpec<NoParams, string> = /*#__PURE__*/ plain(
  'The version of the Starknet RPC that the node answers.',
  /*#__PURE__*/ text('a version'),
)

/** `starknet_chainId`: a short string, `SN_MAIN`. */
export const starknet_chainId: StarknetMethodSpec<NoParams, Hex> = /*#__PURE__*/ plain(
  'The chain, as a short string in hex.',
  hexSchema,
  { cache: 'fixed' },
)

/** `starknet_blockNumber`. */
export const starknet_blockNumber: StarknetMethodSpec<NoParams, number> = /*#__PURE__*/ plain(
  'The number of the last block.',
  indexSchema,
  { cache: 'head', errors: [32] },
)

/** `starknet_blockHashAndNumber`. */
export const starknet_blockHashAndNumber: StarknetMethodSpec<NoParams, BlockHashAndNumber> = /*#__PURE__*/ plain(
  'The hash and the number of the last block.',
  /*#__PURE__*/ object<BlockHashAndNumber>('a block', { block_hash: feltSchema, block_number: indexSchema }),
  { cache: 'head', errors: [32] },
)

/** `starknet_syncing`: false, or how far it has come. */
export const starknet_syncing: StarknetMethodSpec<NoParams, false | SyncStatus> = /*#__PURE__*/ plain(
  'Whether the node is catching up, and how far it has come.',
  /*#__PURE__*/ choice<false | SyncStatus>('false or a sync status', (value) => (value === false ? no : syncStatus), [
    syncStatus,
  ]),
)

const no: Schema<false> = /*#__PURE__*/ is('false', (value) => value === false)
