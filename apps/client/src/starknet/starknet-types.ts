import type { EventIterator } from '@wayleave/jsonrpc-core/websocket'
import type { StarknetSchema, StarknetVersion } from '@wayleave/starknet-types'
import type { StarknetEvent } from './starknet-events.ts'

/** The params of a method of a version, by name or by position. */
export type Params<V extends StarknetVersion, M extends string> =
  StarknetSchema<V> extends Readonly<Record<M, { readonly params: infer P }>> ? P : never

/** The result of a method of a version, once it has come. */
export type Answer<V extends StarknetVersion, M extends string> =
  StarknetSchema<V> extends Readonly<Record<M, { readonly result: infer R }>> ? Promise<R> : never

/** The events of a subscription of a version, for `for await`: leaving the loop unsubscribes. */
export type Events<V extends StarknetVersion, Kind extends string> = Promise<EventIterator<StarknetEvent<V, Kind>>>
