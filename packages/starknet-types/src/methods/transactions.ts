import type { BlockId } from '../block-id.ts'
import { type EmittedEvent, type EventAddress, type EventFilter, type EventsPage } from '../event.ts'
import type { Felt } from '../felt.ts'
import type { TransactionFlag } from '../flags.ts'
import type { Hex } from '../hex.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import type { Params } from '../params.ts'
import type { ReceiptWithBlockInfo } from '../receipt.ts'
import { type MessageStatus, type StatusOfTransaction, type TransactionStatus } from '../transaction-status.ts'
import type { TransactionWithHash } from '../transaction.ts'
import type { From, StarknetVersion } from '../versions.ts'

interface ByHash {
  readonly transaction_hash: Felt
}

type HashParam = Params<ByHash, readonly [transaction_hash: Felt]>

interface Flagged {
  readonly response_flags?: readonly TransactionFlag[]
}

interface ByIndex<B> {
  readonly block_id: B
  readonly index: number
}

export type GetTransactionByHash<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.10',
    Params<ByHash & Flagged, readonly [transaction_hash: Felt, response_flags?: readonly TransactionFlag[]]>,
    HashParam
  >,
  TransactionWithHash<V>
>

export type GetTransactionByIndex<V extends StarknetVersion> = StarknetMethodSpec<
  From<
    V,
    '0.10',
    Params<
      ByIndex<BlockId<V>> & Flagged,
      readonly [block_id: BlockId<V>, index: number, response_flags?: readonly TransactionFlag[]]
    >,
    Params<ByIndex<BlockId<V>>, readonly [block_id: BlockId<V>, index: number]>
  >,
  TransactionWithHash<V>
>

export type GetTransactionReceipt<V extends StarknetVersion> = StarknetMethodSpec<HashParam, ReceiptWithBlockInfo<V>>

export type GetTransactionStatus<V extends StarknetVersion> = StarknetMethodSpec<
  HashParam,
  TransactionStatus<StatusOfTransaction<V>>
>

export type GetMessagesStatus<V extends StarknetVersion> = StarknetMethodSpec<
  Params<{ readonly transaction_hash: Hex }, readonly [transaction_hash: Hex]>,
  readonly MessageStatus<V>[]
>

type Filter<V extends StarknetVersion> = EventFilter<BlockId<V>, EventAddress<V>>

export type GetEvents<V extends StarknetVersion> = StarknetMethodSpec<
  Params<{ readonly filter: Filter<V> }, readonly [filter: Filter<V>]>,
  EventsPage<EmittedEvent<V>>
>
