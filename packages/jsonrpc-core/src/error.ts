import type { RpcErrorObject } from './wire.ts'

/**
 * - `timeout`: the deadline passed.
 * - `aborted`: the caller gave up.
 * - `connect`: no connection could be made.
 * - `disconnected`: the connection broke after it was made.
 * - `http_status`: the peer answered with an HTTP status that carries no JSON-RPC answer.
 * - `invalid_response`: the peer's bytes are not an answer to this call.
 * - `too_large`: a size cap was passed.
 * - `overloaded`: a local queue or buffer is full.
 * - `unavailable`: no peer could be asked.
 * - `denied`: a policy refused the call.
 * - `rpc`: the peer answered with a JSON-RPC error (thrown by clients only; handlers resolve with it).
 */
export type RpcErrorCode =
  | 'timeout'
  | 'aborted'
  | 'connect'
  | 'disconnected'
  | 'http_status'
  | 'invalid_response'
  | 'too_large'
  | 'overloaded'
  | 'unavailable'
  | 'denied'
  | 'rpc'

/** The members of an {@link RpcError} besides its code and message. */
export interface RpcErrorOptions {
  readonly delivery?: 'not_sent' | 'unknown'
  readonly httpStatus?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly rpc?: RpcErrorObject | undefined
  readonly reason?: string | undefined
  readonly cause?: unknown
}

/**
 * The one error class of the package. Its message says what was expected and what came;
 * it never holds a URL, a key, a header or a body.
 */
export class RpcError extends Error {
  override readonly name: string = 'RpcError'
  readonly code: RpcErrorCode
  /** `not_sent`: the peer cannot have seen the call, so even a write may be repeated. */
  readonly delivery: 'not_sent' | 'unknown'
  /** The HTTP status of the peer, if one came. */
  readonly httpStatus: number | undefined
  /** Time that the peer asked to wait, in ms. */
  readonly retryAfterMs: number | undefined
  /** The peer's JSON-RPC error object, if its body held one. */
  readonly rpc: RpcErrorObject | undefined
  /** The end of a subscription in words for its caller, such as where to go on; never a peer's. */
  readonly reason: string | undefined

  constructor(code: RpcErrorCode, message: string, options: RpcErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.delivery = options.delivery ?? 'unknown'
    this.httpStatus = options.httpStatus
    this.retryAfterMs = options.retryAfterMs
    this.rpc = options.rpc
    this.reason = options.reason
  }
}

/** Turns anything thrown into an {@link RpcError}: itself if it is one, else wrapped under `code`. */
export function toRpcError(thrown: unknown, code: RpcErrorCode, message: string): RpcError {
  return thrown instanceof RpcError ? thrown : new RpcError(code, message, { cause: thrown })
}

const reported: Partial<Record<RpcErrorCode, readonly [code: number, message: string]>> = {
  timeout: [-32002, 'request timed out'],
  too_large: [-32003, 'response too large'],
  overloaded: [-32005, 'too many requests in flight'],
  unavailable: [-32603, 'internal error'],
}

/** Describes to a caller why its call got no answer: a code of EIP-1474 or geth's, and no detail. */
export function describeRpcError(error: RpcError): RpcErrorObject {
  // An error beside an HTTP status may concern our key and our quota, not the caller.
  if (error.rpc !== undefined && error.code !== 'http_status') return error.rpc
  if (error.code === 'denied') return { code: -32002, message: error.message }
  const [code, message] = reported[error.code] ?? [-32603, 'no usable answer from upstream']
  return { code, message }
}
