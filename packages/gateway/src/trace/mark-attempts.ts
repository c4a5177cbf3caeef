import type { RpcContext, RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { Endpoint, FailureKind } from '@wayleave/upstream'
import { falseAnswerOf } from '@wayleave/network'
import { traceOf } from './call-trace.ts'
import { withoutParams } from './words.ts'

/** Notes that an upstream is asked for a call, beside another one if `isHedge`; `now`: the clock, in ms. */
export function markAttempt({ name }: Endpoint, context: RpcContext, isHedge: boolean, now: number): void {
  traceOf(context)?.mark(isHedge ? 'hedged' : 'asked', now, name)
}

/** Notes the answer of an upstream, and the time that it took, in ms. */
export function markAnswer({ name }: Endpoint, context: RpcContext, ms: number): void {
  traceOf(context)?.mark('answered', ms, name)
}

/** Notes that an upstream failed after `ms`. */
export function markFailure(
  { name }: Endpoint,
  failure: FailureKind,
  why: Error | RpcErrorObject,
  context: RpcContext,
  ms: number,
): void {
  traceOf(context)?.mark('failed', ms, name, wordsOf(failure, why))
}

/** Words a failure: its kind, and after a line break our own words. Those of a node may repeat what its caller sent. */
function wordsOf(failure: FailureKind, why: Error | RpcErrorObject): string {
  if (!(why instanceof Error)) return `${failure}\nerror ${why.code} of the node`
  const refuted = falseAnswerOf(why)
  if (refuted !== undefined) return `${failure}\n${withoutParams(`${refuted.field} is false`)}`
  return failure === 'timeout' ? failure : `${failure}\n${withoutParams(why.message)}`
}
