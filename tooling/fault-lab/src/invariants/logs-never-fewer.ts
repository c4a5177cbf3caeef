import type { Invariant } from './evidence.ts'
import { hasLies } from './honest.ts'

/** An answer to `eth_getLogs` holds all logs of its range, or is an error. */
export const logsNeverFewer: Invariant = ({ plan, seen, truth }) => {
  if (hasLies(plan)) return []
  return seen.calls.flatMap(({ at, settledAt, questions, answers = [] }) =>
    answers.flatMap(({ result }, i) => {
      const question = questions[i]!
      if (question.method !== 'eth_getLogs' || result === undefined) return []
      const falsehood = truth.judge(question, result, at, settledAt ?? at)
      return falsehood === undefined ? [] : [{ at, text: `${JSON.stringify(question.params)}: ${falsehood.why}` }]
    }),
  )
}
