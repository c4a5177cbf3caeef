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

/** How an answer came about. */
export interface RpcMeta {
  readonly endpoint?: string
  readonly attempts?: number
  readonly cache?: 'hit' | 'stale'
  readonly head?: Position
  /** The answer was made from that of this method, because no peer has the one that was asked for. */
  readonly derivedFrom?: string
  /** What is known of its truth, where a middleware looked. */
  readonly verification?: RpcVerification
}

/** How far an answer was verified, in whole and by the paths of its members. */
export interface RpcVerification {
  readonly level: 'proven' | 'consistent' | 'unverifiable'
  /** What its block was known by: a hash in the question, a trusted one, a quorum's, or nothing. */
  readonly anchor: 'question' | 'hash' | 'quorum' | 'none'
  readonly fields: Readonly<Record<string, 'proven' | 'consistent' | 'unverifiable'>>
  /** Why nothing can be told. */
  readonly reason?: string
}

/** A place in a chain. */
export interface Position {
  readonly height: number
  readonly hash?: string
}
