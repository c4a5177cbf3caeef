import type { Plan } from '../plan.ts'
import type { Invariant } from './evidence.ts'
import { hasLies, hasSoundMajority, hasSteadyMajority, soundIn } from './honest.ts'

/**
 * Time for which callers may be told of the chain as it was, in virtual ms: upstreams that are two seconds behind still stand good, and hold
 * back the head that is served; and all hear of a block later than miners.
 */
const behindMs = 2_500

/**
 * An answer is of the chain, or of one that was it when the call began, if nobody lies and one upstream is sound all the while. That holds
 * for answers of the cache as for those of sound nodes; null counts only where it was kept.
 */
export const cacheReportsTheChain: Invariant = ({ plan, seen, truth }) => {
  if (plan.cache === false || hasLies(plan) || soundIn(plan, 0, plan.lengthMs).length === 0) return []
  return seen.calls.flatMap((call) =>
    (call.answers ?? []).flatMap(({ result, cache, upstream }, i) => {
      const question = call.questions[i]!
      if (result === undefined || (result === null && cache !== 'hit')) return []
      // A node that fails may be behind by itself.
      if (cache !== 'hit' && !soundIn(plan, call.at, call.settledAt!).includes(upstream ?? '')) return []
      const wrong = truth.judge(question, result, call.at, call.settledAt!, graceMs(plan))
      const by = cache === 'hit' ? 'the cache' : (upstream ?? 'the gateway')
      return wrong === undefined
        ? []
        : [{ at: call.settledAt!, text: `call #${call.plan.id}: ${by} answered ${question.method}: ${wrong.why}` }]
    }),
  )
}

/** One that is behind among two holds back the head that both agree on. */
const disputeMs = 4_000
/** Blocks that the anchor of a proof may lag where no majority of all upstreams is at the head: one that is away has no voice, and one that is behind has its own. */
const anchorLag = 32

function graceMs(plan: Plan): number {
  const usual = behindMs + plan.blockMs
  if (plan.verify === 'proven' && !hasSoundMajority(plan)) return usual + anchorLag * plan.blockMs
  return hasSteadyMajority(plan) ? usual : usual + disputeMs
}
