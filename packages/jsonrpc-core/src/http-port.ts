import type { RpcContext } from './context.ts'

/** One POST. `headers` is flat: name, value, name, value. */
export interface HttpRequest {
  readonly url: string
  readonly headers: readonly string[]
  readonly body: string
}

/**
 * The body is an array where all of it has come, an iterable where it is still arriving. Leaving the iteration ends the
 * exchange at once, also while a read waits: `return` of a generator would wait with it.
 */
export interface HttpReply {
  readonly status: number
  /** A `Headers`, or as little as this. Names are given in lower case. */
  readonly headers: { get(name: string): string | null }
  readonly body: readonly Uint8Array[] | AsyncIterable<Uint8Array>
}

/**
 * How HTTP is done: `fetch` where nothing better is given, undici in the gateway.
 * Ends the exchange when the context is cancelled or the body's iteration is left;
 * rejects with an `RpcError` that names no URL and says whether the request was sent.
 */
export type HttpPort = (request: HttpRequest, context: RpcContext) => Promise<HttpReply>
