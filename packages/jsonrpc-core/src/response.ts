import type { RpcSubscription } from './session.ts'
import type { Position, RawJson, RawJsonStream, RpcErrorObject } from './wire.ts'

/** A peer's answer. A handler that got none rejects instead. */
export type RpcResponse = RpcResult | RpcFailure

export interface RpcResult {
  readonly result: RawJson | RawJsonStream
  readonly error?: undefined
  /** Present if the call opened a subscription. */
  readonly subscription?: RpcSubscription
  readonly meta?: RpcMeta
}

export interface RpcFailure {
  readonly error: RpcErrorObject
  readonly result?: undefined
  readonly meta?: RpcMeta
}

/** Facts about how an answer came about. A package above adds to them by `defineExtension`. */
export interface RpcMeta {
  readonly endpoint?: string
  readonly attempts?: number
  readonly cache?: 'hit' | 'stale'
  readonly head?: Position
}
