import type { RpcContext } from '@wayleave/jsonrpc-core'
import type { AttemptMarks } from './attempt-marks.ts'

/** Notes the way of a call through its network, for whoever traces it. */
export interface CallMarks extends AttemptMarks {
  /** Notes that a call comes to the cache. */
  entered(context: RpcContext): void
  /** Notes that the cache had no answer to it. */
  passed(context: RpcContext): void
  /** Notes that a call shares the answer of one in flight, whose context is `flight`. */
  joined(context: RpcContext, flight: RpcContext): void
  /** Notes that a call waited for an upstream with room, for so long, in ms. */
  queued(context: RpcContext, ms: number): void
}
