/**
 * - `unsupported_platform`: anvil has no build for this machine.
 * - `binary_missing`: anvil's build for this machine is not installed.
 * - `start_failed`: the chain's process ended, or did not answer in time.
 * - `state_unreadable`: the chain's process refused the state file, or its blocks are no chain.
 * - `state_in_use`: another process keeps its chain in the state file.
 * - `aborted`: the caller's signal ended the start.
 */
export type DevNodeErrorCode =
  | 'unsupported_platform'
  | 'binary_missing'
  | 'start_failed'
  | 'state_unreadable'
  | 'state_in_use'
  | 'aborted'

/** The one error class of the package. */
export class DevNodeError extends Error {
  override readonly name: string = 'DevNodeError'
  readonly code: DevNodeErrorCode

  constructor(code: DevNodeErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Says that the caller's signal ended a start. */
export function abortedStart(signal: AbortSignal): DevNodeError {
  return new DevNodeError('aborted', 'the start was aborted', { cause: signal.reason })
}
