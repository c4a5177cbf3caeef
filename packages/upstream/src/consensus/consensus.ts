import type { RpcContext, RpcHandler, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import type { Candidate } from '../selection/candidate.ts'
import { createCompare } from './ballot.ts'
import type { ConsensusOptions } from './consensus-options.ts'
import { Poll } from './poll.ts'

/**
 * Makes a handler that asks several upstreams and gives the answer on which enough of them agree. An answer says in `meta.attempts` how
 * many were asked.
 * @throws RangeError where `agreement` is out of range
 */
export function createConsensus(options: ConsensusOptions): RpcHandler {
  const { pool, isSubject, pin, participants, agreement } = options
  if (!(agreement >= 2 && agreement <= participants))
    throw new RangeError(`agreement must be from 2 to participants (${participants}), but is ${agreement}`)
  const compare = createCompare(options)

  const poll = (request: RpcRequest, context: RpcContext): Promise<RpcResponse> => {
    const candidates = distinct(options.order(request, context))
    // The pool says best why there is none.
    if (candidates.length === 0) return pool(request, context)
    return new Promise((resolve, reject) =>
      new Poll(options, compare, request, context, candidates, resolve, reject).start(),
    )
  }

  return (request, context) => {
    if (request.notification || !isSubject(request)) return pool(request, context)
    if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
    const pinned = pin?.(request, context)
    if (pinned === undefined) return poll(request, context)
    return pinned.then((it) => ('method' in it ? poll(it, context) : it))
  }
}

/** Keeps the first candidate of each node. */
function distinct(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = new Set<unknown>()
  return candidates.filter(({ node }) => !seen.has(node) && seen.add(node))
}
