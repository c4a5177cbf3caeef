import type { SeenCall } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'

/** Time after its deadline in which an answer may still reach its caller, in virtual ms. */
const slackMs = 20

/** Each call has an answer or an error for each of its questions by its deadline, unless its connection ended before. */
export const answersByDeadline: Invariant = ({ seen }) =>
  seen.calls.flatMap((call) => {
    const why = fault(call)
    return why === undefined ? [] : [{ at: call.settledAt ?? call.deadline, text: `call #${call.plan.id}: ${why}` }]
  })

function fault({ deadline, settledAt, answers, questions, plan }: SeenCall): string | undefined {
  if (settledAt === undefined) return `nothing came, although it had ${plan.deadlineMs} ms`
  if (settledAt > deadline + slackMs) return `answered ${settledAt - deadline} ms after its deadline`
  // The connection has ended.
  if (answers === undefined) return plan.connection === undefined ? 'its connection broke' : undefined
  if (answers.length !== questions.length) return `${answers.length} answers to ${questions.length} questions`
  const empty = answers.some(({ result, error }) => (result === undefined) === (error === undefined))
  return empty ? 'an answer has neither a result nor an error, or both' : undefined
}
