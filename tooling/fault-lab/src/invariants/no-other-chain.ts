import type { Plan } from '../plan.ts'
import type { Invariant } from './evidence.ts'

/** Nothing that is told comes from another chain, as far as an upstream says which one it serves. */
export const noOtherChain: Invariant = ({ plan, seen, truth }) =>
  seen.calls.flatMap((call) =>
    (call.answers ?? []).flatMap(({ result, upstream }, i) => {
      // Nothing is of no chain.
      if (isNothing(result) || !isReportedBefore(plan, upstream)) return []
      const wrong = truth.judge(call.questions[i]!, result, call.at, call.settledAt!)
      return wrong?.isStrange === true
        ? [
            {
              at: call.settledAt!,
              text: `call #${call.plan.id}: answered from another chain by ${upstream ?? 'an upstream'}: ${wrong.why}`,
            },
          ]
        : []
    }),
  )

const isNothing = (result: unknown): boolean =>
  result === undefined || result === null || (typeof result === 'object' && Object.keys(result).length === 0)

/** Whether all upstreams of other chains served them from the beginning, so that they were asked for their chain first. */
function isReportedBefore({ faults }: Plan, upstream: string | undefined): boolean {
  return !faults.some(
    ({ kind, at, variant, upstream: name }) =>
      (upstream === undefined || name === upstream) && kind === 'other_chain' && (at > 0 || variant === 1),
  )
}
