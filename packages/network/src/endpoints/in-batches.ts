import { classifyNodeError } from '@wayleave/evm-types'
import type { Clock, HttpBatch, RpcErrorObject, RpcHandler } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { joinBatches } from '@wayleave/upstream'
import { actionsByKind } from '../kinds/error-actions.ts'
import { isRead } from '../kinds/method-facts.ts'
import { methodClassOf } from '../kinds/method-class.ts'
import { hintsOf } from '../hints/call-hints.ts'

export interface InBatchesOptions {
  readonly facts: MethodFacts
  readonly clock: Clock
  /** Calls back in the next turn of the event loop. Default: each call of a batch is sent alone. */
  readonly nextTurn?: ((run: () => void) => void) | undefined
  /** The time in which the event loop has had nothing to do, in ms. Default: the time of the clock. */
  readonly idleMs?: (() => number) | undefined
}

/** The time that a call takes at a node while nothing is known, in ms: a few of the quick ones go together, and no others. */
const quickMs = 0.25
const slowMs = 5

/** Has reads of a caller's batch leave together; not those whose answers are compared, for which an upstream is named. */
export function inBatches(
  single: RpcHandler,
  batch: HttpBatch,
  max: number | undefined,
  { facts, clock, nextTurn, idleMs = () => clock.now() }: InBatchesOptions,
): RpcHandler {
  if (nextTurn === undefined) return single
  const classOf = methodClassOf(facts)
  return joinBatches({
    single,
    batch,
    max,
    mayJoin: (request) => isRead(facts, request.method) && hintsOf(request).pinnedUpstream === undefined,
    priorMs: (method) => (classOf(method) === 'read' ? quickMs : slowMs),
    isAboutKey,
    clock,
    idleMs,
    nextTurn,
  })
}

function isAboutKey(error: RpcErrorObject): boolean {
  const action = actionsByKind[classifyNodeError(error)]
  return action === 'hold_off' || action === 'quota'
}
