import type { Invariant } from './evidence.ts'

/** Nothing is served from an upstream that the gateway had excluded before the call came: on another chain, or cordoned. */
export const nothingFromExcluded: Invariant = ({ seen, exclusions }) =>
  seen.calls.flatMap(({ plan, answers = [], at, settledAt }) =>
    answers.flatMap(({ result, upstream }) => {
      if (result === undefined || upstream === undefined) return []
      const excluded = exclusions.find(
        (each) => each.upstream === upstream && each.from < at && each.until > settledAt!,
      )
      return excluded === undefined
        ? []
        : [
            {
              at: settledAt!,
              text: `call #${plan.id} was answered by ${upstream}, which had been left alone (${excluded.why}) since ${excluded.from} ms`,
            },
          ]
    }),
  )
