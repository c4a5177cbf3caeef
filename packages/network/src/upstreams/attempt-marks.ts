import type { RpcContext, RpcErrorObject } from '@wayleave/jsonrpc-core'
import type { Endpoint, FailureKind } from '@wayleave/upstream'

/** Notes the attempts of a call, for whoever traces it. */
export interface AttemptMarks {
  /** Notes that an upstream is asked for a call, beside another one if `isHedge`; `now`: the clock, in ms. */
  asked(endpoint: Endpoint, context: RpcContext, isHedge: boolean, now: number): void
  /** Notes its answer after `ms`. */
  answered(endpoint: Endpoint, context: RpcContext, ms: number): void
  /** Notes its failure after `ms`. */
  failed(endpoint: Endpoint, failure: FailureKind, why: Error | RpcErrorObject, context: RpcContext, ms: number): void
}
