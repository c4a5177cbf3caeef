/**
 * - `unsupported`: the network has no fees of this kind: an unknown chain id, or one without EIP-1559.
 * - `unauthorized`: the API key or its secret was refused.
 * - `unavailable`: nothing recent enough is known; `retryAfterMs` says when to ask again.
 * - `timeout`: no answer came in time.
 * - `aborted`: the caller gave up.
 * - `connect`: the host could not be reached, or the connection broke.
 * - `http_status`: a status that none of these means.
 * - `invalid_response`: the answer does not fit this API, or a node's `eth_feeHistory`.
 * - `malformed`: an argument does not have the form that its contract asks for.
 * - `missing_percentiles`: a history lacks percentiles of rewards that a strategy reads.
 */
export type GasFeesErrorCode =
  | 'unsupported'
  | 'unauthorized'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'connect'
  | 'http_status'
  | 'invalid_response'
  | 'malformed'
  | 'missing_percentiles'

export interface GasFeesErrorOptions {
  readonly httpStatus?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** The one error class of the package. Its message holds no URL, key or header. */
export class GasFeesError extends Error {
  override readonly name: string = 'GasFeesError'
  readonly code: GasFeesErrorCode
  /** The HTTP status, if one came. */
  readonly httpStatus: number | undefined
  /** How long the host asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(code: GasFeesErrorCode, message: string, options: GasFeesErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.httpStatus = options.httpStatus
    this.retryAfterMs = options.retryAfterMs
  }
}
