import { revertOf, type RevertReason } from '@wayleave/evm-types'
import { RpcError } from '@wayleave/jsonrpc-core'

/** An {@link RpcError} of code `rpc` for a reverted execution, with the reason. Source: Spec §7. */
export class RevertError extends RpcError {
  override readonly name: string = 'RevertError'
  readonly revert: RevertReason

  constructor(message: string, revert: RevertReason, cause: RpcError) {
    super('rpc', message, { rpc: cause.rpc, cause })
    this.revert = revert
  }
}

/** Turns an error that reports a revert into a {@link RevertError}; returns anything else unchanged. */
export function toRevertError(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== 'rpc' || thrown.rpc === undefined) return thrown
  const revert = revertOf(thrown.rpc)
  return revert === undefined ? thrown : new RevertError(thrown.message, revert, thrown)
}
