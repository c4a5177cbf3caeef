import type { SeenCall } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'
import { soundIn } from './honest.ts'

/** Time that a call may take beside another project's calls, in virtual ms, where an upstream is sound. */
const fairMs = 5_000

/** One project's calls, however many, cost the others no answer: none of theirs is refused for want of a place while an upstream is sound. */
export const fairAmongProjects: Invariant = ({ plan, seen }) => {
  if (!plan.projects.some(({ greedy }) => greedy)) return []
  const modest = new Set(plan.projects.filter(({ greedy }) => !greedy).map(({ name }) => name))
  return seen.calls.flatMap(({ plan: call, at, settledAt, answers }) => {
    if (call.kind !== 'read' || settledAt === undefined || !modest.has(call.project)) return []
    if (soundIn(plan, at - fairMs, settledAt).length === 0) return []
    // The place that is kept for a project may be taken by another call of its own.
    const isOnlyOne = !seen.calls.some(
      (other) => other.plan.project === call.project && other.plan.id !== call.id && overlaps(other, at, settledAt),
    )
    if (!isOnlyOne) return []
    return answers?.some(({ rejected }) => rejected === 'overloaded') === true
      ? [{ at: settledAt, text: `call #${call.id} of ${call.project} got no place, while another project asked much` }]
      : []
  })
}

const overlaps = (call: SeenCall, from: number, to: number): boolean =>
  call.at <= to && (call.settledAt ?? Number.POSITIVE_INFINITY) >= from
