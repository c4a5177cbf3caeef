import type { CandidateThen } from '@wayleave/network'
import type { CallTrace } from './call-trace.ts'

/** How a call ended. `node_error`: with an error of its node; `refused`: by the gateway; `failed`: nobody answered it. */
export type CallOutcome = 'answered' | 'node_error' | 'refused' | 'failed' | 'cancelled'

/** A call that was not answered, or not at once, with what was known at its end. */
export interface CallRecord {
  readonly trace: CallTrace
  readonly ms: number
  readonly outcome: CallOutcome
  /** The code of the JSON-RPC error, or of our own. */
  readonly code: number | string | undefined
  /** The words of the gateway; none of a node's. */
  readonly message: string | undefined
  readonly upstream: string | undefined
  readonly cache: string | undefined
  /** How the answer was checked: `proven`, `agreed`, `consistent`, `unchecked`; undefined where the network verifies nothing. */
  readonly verification: string | undefined
  readonly candidates: readonly CandidateThen[]
}

/** A request that was refused before its calls were read. */
export interface RequestRefusal {
  readonly id: string
  /** The clock, in ms. */
  readonly at: number
  readonly status: number
  readonly message: string
}
