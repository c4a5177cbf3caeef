import { integer, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { indexSchema } from '../block-id.ts'
import { type EventFilter, eventKeysSchema, type EventsPage, eventsPage } from '../event.ts'
import { type Felt, feltSchema } from '../felt.ts'
import { type TransactionFlag, transactionFlags } from '../flags.ts'
import { type Hex, hexSchema } from '../hex.ts'
import type { StarknetMethodSpec } from '../method-spec.ts'
import { objectOf } from '../object-of.ts'
import { named, type Params } from '../params.ts'
import { type MessageStatus, messagesStatus, type TransactionStatus, transactionStatus } from '../transaction-status.ts'

interface ByHash {
  readonly transaction_hash: Felt
}

interface Flagged {
  readonly response_flags?: readonly TransactionFlag[]
}

interface ByIndex<B> {
  readonly block_id: B
  readonly index: number
}

/** What a transaction has of a method's own kind. */
export type TransactionMethod<R> = StarknetMethodSpec<Params<ByHash, readonly [transaction_hash: Felt]>, R>

/** `starknet_getTransactionByHash` since 0.10.1. */
export type FlaggedTransactionMethod<R> = StarknetMethodSpec<
  Params<ByHash & Flagged, readonly [transaction_hash: Felt, response_flags?: readonly TransactionFlag[]]>,
  R
>

/** `starknet_getTransactionByBlockIdAndIndex` up to 0.9. */
export type GetByIndex<B, R> = StarknetMethodSpec<Params<ByIndex<B>, readonly [block_id: B, index: number]>, R>

/** `starknet_getTransactionByBlockIdAndIndex` since 0.10.1. */
export type GetFlaggedByIndex<B, R> = StarknetMethodSpec<
  Params<ByIndex<B> & Flagged, readonly [block_id: B, index: number, response_flags?: readonly TransactionFlag[]]>,
  R
>

/** `starknet_getMessagesStatus`, since 0.8. */
export type GetMessagesStatus<S> = StarknetMethodSpec<
  Params<{ readonly transaction_hash: Hex }, readonly [transaction_hash: Hex]>,
  readonly MessageStatus<S>[]
>

/** `starknet_getEvents`. `B`: a block; `A`: one address or, since 0.10, several; `E`: an event. */
export type GetEvents<B, A, E> = StarknetMethodSpec<
  Params<{ readonly filter: EventFilter<B, A> }, readonly [filter: EventFilter<B, A>]>,
  EventsPage<E>
>

const read = { source: 'starknet-specs', effect: 'read' } as const
const byHash = { ...read, summary: 'A transaction by its hash.', cache: 'fixed', errors: [29] } as const
const byIndex = {
  ...read,
  summary: 'A transaction by its place in a block.',
  blockParam: 0,
  cache: 'block',
  errors: [24, 27],
} as const

/** `starknet_getTransactionByHash` up to 0.9. */
export function getTransactionByHash<R>(result: Schema<R>): TransactionMethod<R> {
  return { ...byHash, ...hashParam(), result }
}

/** `starknet_getTransactionByHash` since 0.10.1. */
export function getFlaggedTransactionByHash<R>(result: Schema<R>): FlaggedTransactionMethod<R> {
  return {
    ...byHash,
    ...named<ByHash & Flagged, readonly [transaction_hash: Felt, response_flags?: readonly TransactionFlag[]]>({
      transaction_hash: feltSchema,
      response_flags: optional(transactionFlags),
    }),
    result,
  }
}

/** `starknet_getTransactionByBlockIdAndIndex` up to 0.9. */
export function getTransactionByIndex<B, R>(blockId: Schema<B>, result: Schema<R>): GetByIndex<B, R> {
  return {
    ...byIndex,
    ...named<ByIndex<B>, readonly [block_id: B, index: number]>({ block_id: blockId, index: indexSchema }),
    result,
  }
}

/** `starknet_getTransactionByBlockIdAndIndex` since 0.10.1. */
export function getFlaggedTransactionByIndex<B, R>(blockId: Schema<B>, result: Schema<R>): GetFlaggedByIndex<B, R> {
  return {
    ...byIndex,
    ...named<ByIndex<B> & Flagged, readonly [block_id: B, index: number, response_flags?: readonly TransactionFlag[]]>({
      block_id: blockId,
      index: indexSchema,
      response_flags: optional(transactionFlags),
    }),
    result,
  }
}

/** `starknet_getTransactionReceipt`. Its finality changes, so it is not kept. */
export function getTransactionReceipt<R>(result: Schema<R>): TransactionMethod<R> {
  return { ...read, summary: 'What came of a transaction.', ...hashParam(), result, errors: [29] }
}

/** `starknet_getTransactionStatus`. */
export function getTransactionStatus<S>(status: Schema<S>): TransactionMethod<TransactionStatus<S>> {
  const result = transactionStatus(status)
  return { ...read, summary: 'How far a transaction has come.', ...hashParam(), result, errors: [29] }
}

/** `starknet_getMessagesStatus`. */
export function getMessagesStatus<S>(status: Schema<S>): GetMessagesStatus<S> {
  return {
    ...read,
    summary: 'How far the messages that a transaction on L1 sent have come.',
    ...named<{ readonly transaction_hash: Hex }, readonly [transaction_hash: Hex]>({ transaction_hash: hexSchema }),
    result: messagesStatus(status),
    errors: [29],
  }
}

/** `starknet_getEvents`. */
export function getEvents<B, A, E>(blockId: Schema<B>, address: Schema<A>, event: Schema<E>): GetEvents<B, A, E> {
  const filter = objectOf<EventFilter<B, A>>('a filter of events', {
    from_block: optional(blockId as Schema<Exclude<B, undefined>>),
    to_block: optional(blockId as Schema<Exclude<B, undefined>>),
    address: optional(address as Schema<Exclude<A, undefined>>),
    keys: optional(eventKeysSchema),
    chunk_size: integer('a whole number from 1', 1),
    continuation_token: optional(text('a continuation token')),
  })
  return {
    ...read,
    summary: 'A page of events that match a filter.',
    ...named<{ readonly filter: EventFilter<B, A> }, readonly [filter: EventFilter<B, A>]>({ filter }),
    result: eventsPage(event),
    addressPaths: ['0.address'],
    errors: [31, 33, 24, 34],
  }
}

function hashParam(): Pick<TransactionMethod<unknown>, 'params' | 'paramNames'> {
  return named<ByHash, readonly [transaction_hash: Felt]>({ transaction_hash: feltSchema })
}
