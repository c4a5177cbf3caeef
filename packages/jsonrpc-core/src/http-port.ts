import type { RpcContext } from './context.ts'

/** One POST. `headers` is flat: name, value, name, value. */
export interface HttpRequest {
  readonly url: string
  readonly headers: readonly string[]
  readonly body: string
}

/**
 * The response to one POST. Its body is an array if all of it has come, an iterable if it is still arriving. Leaving the
 * iteration ends the exchange at once, also while a read waits; `return` of a generator would wait for that read.
 */
export interface HttpReply {
  readonly status: number
  /** A `Headers`, or this much of one. Names are given in lower case. */
  readonly headers: { get(name: string): string | null }
  readonly body: readonly Uint8Array[] | ArrivingHttpBody
}

/** A body that is still arriving. */
export interface ArrivingHttpBody extends AsyncIterable<Uint8Array> {
  /** Its length as the peer announced it, in bytes. Undefined: it announced none, or the body is decoded on its way. */
  readonly announcedBytes?: number | undefined
}

/**
 * Sends one POST: by `fetch` unless another port is given, by undici in the gateway.
 * It ends the exchange when the context is cancelled or the body's iteration is left, and
 * rejects with an `RpcError` that names no URL and says whether the request was sent.
 */
export type HttpPort = (request: HttpRequest, context: RpcContext) => Promise<HttpReply>
