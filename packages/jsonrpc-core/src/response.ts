import type { RawJson, RawJsonStream } from './raw-json.ts'
import type { RpcSubscription } from './session.ts'

/** What a peer answered. A handler that got no answer rejects instead. */
export type RpcResponse = RpcResult | RpcFailure

export interface RpcResult {
  readonly result: RawJson | RawJsonStream
  readonly error?: undefined
  /** Present where the call opened a subscription. */
  readonly subscription?: RpcSubscription
  readonly meta?: RpcMeta
}

export interface RpcFailure {
  readonly error: RpcErrorObject
  readonly result?: undefined
  readonly meta?: RpcMeta
}

/** A JSON-RPC error object. `raw` holds the peer's own bytes, which are forwarded unchanged. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly raw?: RawJson
}

/** How an answer came about. A package above adds to it by `defineExtension`. */
export interface RpcMeta {
  readonly endpoint?: string
  readonly attempts?: number
  readonly cache?: 'hit' | 'stale'
  readonly head?: Position
}

/** A place in a chain. */
export interface Position {
  readonly height: number
  readonly hash?: string
}
