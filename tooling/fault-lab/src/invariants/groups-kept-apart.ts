import { witness } from '../world/evm/transactions.ts'
import type { Invariant } from './evidence.ts'

const decoder = new TextDecoder()

/** Nothing that an upstream said is told to projects that may not ask it. */
export const groupsKeptApart: Invariant = ({ plan: { upstreams, projects }, seen }) =>
  seen.calls.flatMap(({ plan, questions, answers = [], settledAt }) =>
    answers.flatMap(({ result }, i) => {
      if (Object(questions[i]!.params[0]).to !== witness || typeof result !== 'string') return []
      const name = decoder.decode(Buffer.from(result.slice(2), 'hex'))
      const mayAsk = projects.find((project) => project.name === plan.project)?.group
      const owner = upstreams.find((upstream) => upstream.name === name)?.group
      if (mayAsk === undefined || owner === mayAsk) return []
      return [{ at: settledAt!, text: `call #${plan.id} of ${plan.project} was given the answer of ${name}` }]
    }),
  )
