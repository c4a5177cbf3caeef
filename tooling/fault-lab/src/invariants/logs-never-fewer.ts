import type { Plan } from '../plan.ts'
import type { SeenCall } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'
import { canMislead, couldBeProven, hasLies } from './honest.ts'

/** An answer to `eth_getLogs` holds all logs of its range, or is an error. */
export const logsNeverFewer: Invariant = ({ plan, seen, truth }) =>
  seen.calls.flatMap((call) => {
    const { at, settledAt, questions, answers = [] } = call
    if (!isVouchedFor(plan, call)) return []
    return answers.flatMap(({ result }, i) => {
      const question = questions[i]!
      if (question.method !== 'eth_getLogs' || result === undefined) return []
      const falsehood = truth.judge(question, result, at, settledAt ?? at)
      return falsehood === undefined ? [] : [{ at, text: `${JSON.stringify(question.params)}: ${falsehood.why}` }]
    })
  })

/** Whether nobody lies, or each part of an answer can be proven: an answer that nobody can prove is given as it is. */
function isVouchedFor(plan: Plan, { at, settledAt }: SeenCall): boolean {
  if (!hasLies(plan)) return true
  return plan.verify === 'proven' && !canMislead(plan) && couldBeProven(plan, at, settledAt ?? at)
}
