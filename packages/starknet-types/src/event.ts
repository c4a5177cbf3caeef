import { array, choice, integer, object, optional, type Schema, text } from '@wayleave/jsonrpc-core/schema'
import { both } from './both.ts'
import { indexSchema } from './block-id.ts'
import { type Felt, feltSchema, feltsSchema } from './felt.ts'
import { objectOf } from './object-of.ts'
import type { From, StarknetVersion } from './versions.ts'

/** The content of an event. */
export interface EventContent {
  readonly keys: readonly Felt[]
  readonly data: readonly Felt[]
}

/** An event and the contract that emitted it. */
export interface Event extends EventContent {
  readonly from_address: Felt
}

/** An event and where it was emitted. Without a block while that is being built. */
export interface EmittedEvent_0_5 extends Event {
  readonly block_hash?: Felt
  readonly block_number?: number
  readonly transaction_hash: Felt
}

/** Since 0.10. */
export interface EmittedEvent_0_10 extends EmittedEvent_0_5 {
  readonly transaction_index: number
  readonly event_index: number
}

interface EmittedEvents {
  readonly '0.5.1': EmittedEvent_0_5
  readonly '0.6': EmittedEvent_0_5
  readonly '0.7': EmittedEvent_0_5
  readonly '0.8': EmittedEvent_0_5
  readonly '0.9': EmittedEvent_0_5
  readonly '0.10': EmittedEvent_0_10
}

/** An event and where it was emitted. Source: Starknet RPC, `EMITTED_EVENT`. */
export type EmittedEvent<V extends StarknetVersion = StarknetVersion> = EmittedEvents[V]

/** One address or, since 0.10, also a list of them. */
export type EventAddress<V extends StarknetVersion> = From<V, '0.10', Felt | readonly Felt[], Felt>

/** A page of events. */
export interface EventsPage<E> {
  readonly events: readonly E[]
  /** Asks for the next page; absent on the last one. */
  readonly continuation_token?: string
}

/** The events that are asked for, and how many a page. `B`: a block; `A`: an address, since 0.10 a list as well. */
export interface EventFilter<B, A> {
  readonly from_block?: B
  readonly to_block?: B
  readonly address?: A
  /** For each place of a key, the values that match; an empty list matches any. */
  readonly keys?: readonly (readonly Felt[])[]
  readonly chunk_size: number
  readonly continuation_token?: string
}

export const eventSchema: Schema<Event> = /*#__PURE__*/ object<Event>('an event', {
  from_address: feltSchema,
  keys: feltsSchema,
  data: feltsSchema,
})

/** Checks the keys of a filter. */
export const eventKeysSchema: Schema<readonly (readonly Felt[])[]> = /*#__PURE__*/ array(feltsSchema)

/** Checks an address or a list of them. */
export const addressOrListSchema: Schema<Felt | readonly Felt[]> = /*#__PURE__*/ choice<Felt | readonly Felt[]>(
  'a felt or a list of felts',
  (value) => (Array.isArray(value) ? feltsSchema : feltSchema),
)

/** Checks an {@link EmittedEvent} up to 0.9. */
export const emittedEvent_0_5: Schema<EmittedEvent_0_5> = /*#__PURE__*/ object<EmittedEvent_0_5>('an emitted event', {
  from_address: feltSchema,
  keys: feltsSchema,
  data: feltsSchema,
  block_hash: /*#__PURE__*/ optional(feltSchema),
  block_number: /*#__PURE__*/ optional(indexSchema),
  transaction_hash: feltSchema,
})

export const emittedEvent_0_10: Schema<EmittedEvent_0_10> = /*#__PURE__*/ both(
  emittedEvent_0_5,
  /*#__PURE__*/ object<Pick<EmittedEvent_0_10, 'transaction_index' | 'event_index'>>('an emitted event', {
    transaction_index: indexSchema,
    event_index: indexSchema,
  }),
)

export function eventsPage<E>(event: Schema<E>): Schema<EventsPage<E>> {
  return object<EventsPage<E>>('a page of events', {
    events: array(event),
    continuation_token: optional(text('a continuation token')),
  })
}

export function eventFilter<B, A>(blockId: Schema<B>, address: Schema<A>): Schema<EventFilter<B, A>> {
  const block = optional(blockId as Schema<Exclude<B, undefined>>)
  return objectOf<EventFilter<B, A>>('a filter of events', {
    from_block: block,
    to_block: block,
    address: optional(address as Schema<Exclude<A, undefined>>),
    keys: optional(eventKeysSchema),
    chunk_size: integer('a whole number from 1', 1),
    continuation_token: optional(text('a continuation token')),
  })
}
