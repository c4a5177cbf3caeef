import type { Schema } from '@wayleave/jsonrpc-core/schema'
import type { BlockId } from '../block-id.ts'
import type { Block } from '../block.ts'
import type { Felt } from '../felt.ts'
import type { TransactionFlag } from '../flags.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { objectOf } from '../object-of.ts'
import type { Params } from '../params.ts'
import type { Receipt } from '../receipt.ts'
import type { StateUpdate } from '../state-update.ts'
import type { Transaction, TransactionWithHash } from '../transaction.ts'
import type { From, StarknetVersion } from '../versions.ts'

/** Params of a method that takes a block. `V`: a version. */
type OfBlock<V extends StarknetVersion> = Params<{ readonly block_id: BlockId<V> }, readonly [block_id: BlockId<V>]>

type OfBlockWithFlags<V extends StarknetVersion> = From<
  V,
  '0.10',
  Params<
    { readonly block_id: BlockId<V>; readonly response_flags?: readonly TransactionFlag[] },
    readonly [block_id: BlockId<V>, response_flags?: readonly TransactionFlag[]]
  >,
  OfBlock<V>
>

/** A transaction and its receipt. */
interface WithReceipt<V extends StarknetVersion> {
  readonly transaction: Transaction<V>
  readonly receipt: Receipt<V>
}

export type GetBlockWithTxHashes<V extends StarknetVersion> = StarknetMethodSpec<OfBlock<V>, Block<V, Felt>>

export type GetBlockWithTxs<V extends StarknetVersion> = StarknetMethodSpec<
  OfBlockWithFlags<V>,
  Block<V, TransactionWithHash<V>>
>

export type GetBlockWithReceipts<V extends StarknetVersion> = StarknetMethodSpec<
  OfBlockWithFlags<V>,
  Block<V, WithReceipt<V>>
>

export type GetBlockTransactionCount<V extends StarknetVersion> = StarknetMethodSpec<OfBlock<V>, number>

export type GetStateUpdate<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.10',
    Params<
      { readonly block_id: BlockId<V>; readonly contract_addresses?: readonly Felt[] },
      readonly [block_id: BlockId<V>, contract_addresses?: readonly Felt[]]
    >,
    OfBlock<V>
  >,
  StateUpdate
>

export function withReceipt<T, R>(
  transaction: Schema<T>,
  receipt: Schema<R>,
): Schema<{ readonly transaction: T; readonly receipt: R }> {
  return objectOf<{ readonly transaction: T; readonly receipt: R }>('a transaction and its receipt', {
    transaction,
    receipt,
  })
}
