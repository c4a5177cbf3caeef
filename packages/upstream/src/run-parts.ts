import type { Clock, RpcContext, RpcError } from '@wayleave/jsonrpc-core'
import type { Attempt } from './attempt.ts'
import type { CallSlots } from './call-slots.ts'
import type { Hedging } from './failsafe/hedging.ts'
import type { Overdue } from './failsafe/overdue.ts'
import type { Retries } from './failsafe/retries.ts'
import type { Candidate } from './selection/candidate.ts'
import type { Selection } from './selection/selection.ts'

/** The parts of a pool that a call on its way needs. */
export interface RunParts {
  readonly clock: Clock
  readonly selection: Selection
  readonly slots: CallSlots
  readonly attempt: Attempt
  readonly overdue: Overdue
  readonly hedging: Hedging | undefined
  readonly retries: Retries | undefined
  readonly isFalse: ((why: RpcError) => boolean) | undefined
  readonly ready: ((candidate: Candidate, context: RpcContext) => Promise<void> | undefined) | undefined
}
