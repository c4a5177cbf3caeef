import type { RpcError, RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { FailureKind } from '@wayleave/upstream'
import { type Log, shortened } from '@wayleave/telemetry'
import { falseAnswerOf } from '../kinds/false-answer.ts'
import { aboutTheCall } from './verdicts.ts'

/** Tells the log of attempts that failed. */
export function failedAttempts(
  network: string,
  log: Log,
): (endpoint: string, failure: FailureKind, why: RpcError | RpcErrorObject) => void {
  return (endpoint, failure, why) => {
    // A false answer was told with its method.
    if (why instanceof Error && falseAnswerOf(why) !== undefined) return
    if (aboutTheCall.has(failure)) return
    const status = why instanceof Error ? why.httpStatus : undefined
    const fields = { network, endpoint, failure, code: why.code, status }
    // A node's own words may repeat what its caller sent.
    const message = why instanceof Error ? shortened(why.message) : 'an upstream answered that it cannot serve'
    log.repeats.warn(['failed', network, endpoint, failure], fields, message)
  }
}
