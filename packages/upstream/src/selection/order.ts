import type { RpcRequest } from '@wayleave/jsonrpc-core'
import type { MethodClass } from '../health/class-health.ts'
import type { Candidate } from './candidate.ts'

/** A call as far as the choice of an upstream depends on it. */
export interface SelectionCall {
  readonly request: RpcRequest
  readonly class: MethodClass
  /** The time, in ms on the pool's clock. */
  readonly now: number
  /** Whether only an endpoint that can push will do. */
  readonly opensSubscription?: boolean | undefined
  /** The groups whose upstreams may be asked; undefined: all may. */
  readonly groups?: readonly string[] | undefined
  /** Whether several are asked the same, so that a policy orders them, and leaves out none. Default: no. */
  readonly forSeveral?: boolean | undefined
  /** Calls of equal affinity go to one upstream while it can be asked, such as those of a sender. Default: the call has none. */
  readonly affinity?: string | undefined
  /** Whether the method is in no table, so that hardly any upstream has it. Default: no. */
  readonly isUnknown?: boolean | undefined
  /** The name of the project whose trials of such methods are counted together. Default: all calls without one are one project's. */
  readonly project?: string | undefined
}

/** Whether a candidate is in a group of those that a call may go to. */
export const isInGroups = ({ groups }: Candidate, call: SelectionCall): boolean =>
  call.groups === undefined || call.groups.some((group) => groups.has(group))

/**
 * A selection policy: returns those of `eligible` that may be asked for a call, first choice first. All of them can take it and are
 * healthy; their array must stay as it is.
 */
export type UpstreamOrder = (eligible: readonly Candidate[], call: SelectionCall) => readonly Candidate[]

/** Sorts candidates into ranks, the lowest first, and leaves the order within each rank to `order`. */
export function ranked(
  rankOf: (candidate: Candidate, call: SelectionCall) => number,
  order: UpstreamOrder,
): UpstreamOrder {
  return (eligible, call) => {
    if (eligible.length < 2) return eligible
    const first = rankOf(eligible[0]!, call)
    // Usually all are of one rank.
    for (let i = 1; i < eligible.length; i++) if (rankOf(eligible[i]!, call) !== first) return inRanks(eligible, call)
    return order(eligible, call)
  }

  function inRanks(eligible: readonly Candidate[], call: SelectionCall): readonly Candidate[] {
    const ranks = new Map<number, Candidate[]>()
    for (const candidate of eligible) {
      const rank = rankOf(candidate, call)
      const alike = ranks.get(rank)
      if (alike === undefined) ranks.set(rank, [candidate])
      else alike.push(candidate)
    }
    return [...ranks].toSorted(([a], [b]) => a - b).flatMap(([, alike]) => order(alike, call))
  }
}

/** Asks fallbacks after primaries. */
export const primariesFirst = (order: UpstreamOrder): UpstreamOrder =>
  ranked(({ tier }) => (tier === 'primary' ? 0 : 1), order)
