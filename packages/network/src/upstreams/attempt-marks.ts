import type { RpcContext, RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { Endpoint, FailureKind } from '@wayleave/upstream'

/** Notes the attempts of a call, for whoever traces it. */
export interface AttemptMarks {
  /** An upstream is asked for a call, beside another one if `isHedge`; `now`: the clock, in ms. */
  asked(endpoint: Endpoint, context: RpcContext, isHedge: boolean, now: number): void
  /** It answered after `ms`. */
  answered(endpoint: Endpoint, context: RpcContext, ms: number): void
  /** It failed after `ms`. */
  failed(endpoint: Endpoint, failure: FailureKind, why: Error | RpcErrorObject, context: RpcContext, ms: number): void
}
