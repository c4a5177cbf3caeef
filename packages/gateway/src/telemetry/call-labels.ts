/**
 * How a call ended, as operators tell calls apart:
 *
 * - `ok`: a result.
 * - `execution`: an error that is the chain's own answer, such as a revert or a nonce that is too low.
 * - `caller`: nobody could serve it: a wrong or a denied method, params, a range, a block that is not there, a caller who left.
 * - `limited`: a limit of its key, its project or the process refused it.
 * - `upstream`: no upstream gave an answer, or only errors of its own.
 * - `gateway`: the gateway failed.
 *
 * Availability counts the last two as bad.
 */
export type CallOutcome = 'ok' | 'execution' | 'caller' | 'limited' | 'upstream' | 'gateway'

/** The end of a call that has no result. `status`: the HTTP status that it has alone; 499 for a caller who left. */
export interface CallFailure {
  readonly outcome: Exclude<CallOutcome, 'ok'>
  readonly status: number
  /** The code of JSON-RPC, or of the `RpcError`. */
  readonly code: number | string
}
