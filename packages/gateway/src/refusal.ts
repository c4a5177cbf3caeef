import type { VerifyError } from '@wayleave/evm-verify'
import { RpcError } from '@wayleave/jsonrpc-core'

/** Why an answer was found false, where that is why a call failed; also of a pool that asked everybody in vain. */
export function refusalOf(thrown: unknown): VerifyError | undefined {
  if (thrown instanceof RpcError) return refusalOf(thrown.cause)
  // By its name: a gateway that verifies nothing does not load its class.
  return thrown instanceof Error && thrown.name === 'VerifyError' ? (thrown as VerifyError) : undefined
}

/** Whether it must be a lie. An endpoint that names another block may only follow another fork than the others. */
export function isLie(thrown: unknown): boolean {
  const refusal = refusalOf(thrown)
  if (refusal === undefined || (thrown as RpcError).code === 'unavailable') return false
  return refusal.field !== 'blockHash'
}
