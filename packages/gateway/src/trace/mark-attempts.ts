import type { RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { FailureKind } from '@wayleave/upstream'
import { type AttemptMarks, falseAnswerOf } from '@wayleave/network'
import { traceOf } from './call-trace.ts'
import { withoutParams } from './words.ts'

/** Notes the attempts of a call in its trace. */
export const attemptMarks: AttemptMarks = {
  asked: ({ name }, context, isHedge, now) => traceOf(context)?.mark(isHedge ? 'hedged' : 'asked', now, name),
  answered: ({ name }, context, ms) => traceOf(context)?.mark('answered', ms, name),
  failed: ({ name }, failure, why, context, ms) => traceOf(context)?.mark('failed', ms, name, wordsOf(failure, why)),
}

/** Words a failure: its kind, and after a line break our own words. Those of a node may repeat what its caller sent. */
function wordsOf(failure: FailureKind, why: Error | RpcErrorObject): string {
  if (!(why instanceof Error)) return `${failure}\nerror ${why.code} of the node`
  const refuted = falseAnswerOf(why)
  if (refuted !== undefined) return `${failure}\n${withoutParams(`${refuted.field} is false`)}`
  return failure === 'timeout' ? failure : `${failure}\n${withoutParams(why.message)}`
}
