import { revertOf, type RevertReason } from '@wayleave/evm-types'
import { RpcError } from '@wayleave/jsonrpc-core'

/** Thrown where an execution reverted: an {@link RpcError} of code `rpc` that tells the reason, too. Source: Spec §7. */
export class RevertError extends RpcError {
  override readonly name: string = 'RevertError'
  readonly revert: RevertReason

  constructor(message: string, revert: RevertReason, cause: RpcError) {
    super('rpc', message, { rpc: cause.rpc, cause })
    this.revert = revert
  }
}

/** The error that tells of a revert where `thrown` is one, else `thrown`. */
export function toRevertError(thrown: unknown): unknown {
  if (!(thrown instanceof RpcError) || thrown.code !== 'rpc' || thrown.rpc === undefined) return thrown
  const revert = revertOf(thrown.rpc)
  return revert === undefined ? thrown : new RevertError(thrown.message, revert, thrown)
}
