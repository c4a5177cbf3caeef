import type { ByteAccount } from './byte-account.ts'

/**
 * One complete JSON value, kept as it came. It is immutable, and shared by callers, caches and batches. A peer's value is
 * balanced, not validated: `text`, `value` and `parse` throw an `RpcError` `invalid_response` if it is not UTF-8 or not JSON.
 */
export interface RawJson {
  /** The length in UTF-8 bytes. */
  readonly byteLength: number
  /** The UTF-8 bytes, never concatenated. */
  chunks(): readonly Uint8Array[]
  text(): string
  /** The value, parsed once and shared: read it, never change it. */
  value(): unknown
  /** A fresh copy of the value, to give to a user. */
  parse(): unknown
}

/**
 * A value that is still arriving, to be read once. Iteration throws an `RpcError` if the value ends early or leaves its frame,
 * and ends the source when it is left or cancelled.
 */
export interface RawJsonStream extends AsyncIterable<Uint8Array> {
  readonly streaming: true
  /** Pays for what is collected of it. Default: nobody does. */
  readonly account?: ByteAccount | undefined
  /** Length of the body that the peer announced, in bytes: a little more than that of the result. Undefined: it announced none. */
  readonly announcedBytes?: number | undefined
  cancel(): void
}

/** A JSON-RPC error object. `raw` holds the peer's own bytes, which are forwarded unchanged. */
export interface RpcErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly raw?: RawJson
}

/** Makes a peer's own words fit for a message: takes out secrets, and bounds them. */
export type PeerWords = (text: string) => string

/** A place in a chain. */
export interface Position {
  readonly height: number
  readonly hash?: string
}
