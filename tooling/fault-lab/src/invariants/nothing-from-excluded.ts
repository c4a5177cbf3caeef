import type { SeenCall } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'

/** Nothing is served from an upstream that the operator had taken out of use before the call came. */
export const nothingFromExcluded: Invariant = ({ seen, exclusions }) =>
  seen.calls.flatMap((call) => {
    const { plan, answers = [], at, settledAt } = call
    return answers.flatMap(({ result, upstream }) => {
      if (result === undefined || upstream === undefined) return []
      const excluded = exclusions.find(
        (each) => each.upstream === upstream && each.from < at && each.until > settledAt!,
      )
      if (excluded === undefined || seen.calls.some((other) => isShared(call, other, excluded.from))) return []
      const text = `call #${plan.id} was answered by ${upstream}, which had been left alone (${excluded.why}) since ${excluded.from} ms`
      return [{ at: settledAt!, text }]
    })
  })

/** Time within which those who share an answer have it, in virtual ms. */
const turnMs = 1

/**
 * Whether a call has joined another one that was on its way by a time: they have one answer. That one may have left without it meanwhile,
 * at its deadline.
 */
function isShared(call: SeenCall, other: SeenCall, by: number): boolean {
  const [began, ended] = [call.at, call.settledAt!]
  const leftAt = other.settledAt ?? Infinity
  const isTogether = Math.abs(leftAt - ended) <= turnMs
  const hasLeft =
    leftAt >= began && leftAt < ended && other.answers?.some(({ rejected }) => rejected === 'timeout') === true
  // The answer of a whole batch comes later than that of one of its calls.
  const isOfBatch = other.questions.length > 1 && leftAt >= ended
  if (other.at > by || !(isTogether || hasLeft || isOfBatch)) return false
  const [question] = call.questions
  return other.questions.some((each) => JSON.stringify(each) === JSON.stringify(question))
}
