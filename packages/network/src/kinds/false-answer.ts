import type { VerifyError } from '@wayleave/evm-verify'
import { RpcError } from '@wayleave/jsonrpc-core'

/** Finds the reason why an answer was false, where that is why a call failed; also when a pool asked every endpoint in vain. */
export function falseAnswerOf(thrown: unknown): VerifyError | undefined {
  if (thrown instanceof RpcError) return falseAnswerOf(thrown.cause)
  // By its name: a gateway that verifies nothing does not load its class.
  return thrown instanceof Error && thrown.name === 'VerifyError' ? (thrown as VerifyError) : undefined
}

/** Tells whether a false answer must be a lie. An endpoint that names another block may only follow another fork than the others. */
export function isInvalid(thrown: unknown): boolean {
  const falseAnswer = falseAnswerOf(thrown)
  if (falseAnswer === undefined || (thrown as RpcError).code === 'unavailable') return false
  return falseAnswer.field !== 'blockHash'
}
