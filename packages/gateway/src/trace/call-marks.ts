import type { Clock, RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { FailureKind } from '@wayleave/upstream'
import { type CallMarks, falseAnswerOf } from '@wayleave/network'
import { traceOf } from './call-trace.ts'
import { withoutParams } from './words.ts'

/** Makes the port by which a network notes the way of a call in its trace; its cache and its attempts in flight only where spans are exported. */
export function createCallMarks(clock: Pick<Clock, 'now'>): CallMarks {
  return {
    asked: ({ name }, context, isHedge, at) => traceOf(context)?.mark(isHedge ? 'hedged' : 'asked', at, name),
    answered: ({ name }, context, ms) => traceOf(context)?.mark('answered', ms, name),
    failed: ({ name }, failure, why, context, ms) => traceOf(context)?.mark('failed', ms, name, wordsOf(failure, why)),
    queued: (context, ms) => traceOf(context)?.mark('queued', ms, ''),
    entered(context) {
      const trace = traceOf(context)
      if (trace?.span !== undefined) trace.mark('entered', clock.now(), '')
    },
    passed(context) {
      const trace = traceOf(context)
      if (trace?.span !== undefined) trace.mark('passed', clock.now(), '')
    },
    joined(context, flight) {
      const trace = traceOf(context)
      if (trace === undefined) return
      trace.leader = traceOf(flight)
      if (trace.span !== undefined) trace.mark('joined', clock.now(), '')
    },
  }
}

/** Words a failure: its kind, and after a line break our own words. Those of a node may repeat what its caller sent. */
function wordsOf(failure: FailureKind, why: Error | RpcErrorObject): string {
  if (!(why instanceof Error)) return `${failure}\nerror ${why.code} of the node`
  const refuted = falseAnswerOf(why)
  if (refuted !== undefined) return `${failure}\n${withoutParams(`${refuted.field} is false`)}`
  return failure === 'timeout' ? failure : `${failure}\n${withoutParams(why.message)}`
}
