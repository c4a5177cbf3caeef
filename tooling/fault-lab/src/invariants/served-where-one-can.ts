import type { Plan } from '../plan.ts'
import type { SeenCall } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'
import { hasLies, hasSteadyMajority, soundIn } from './honest.ts'

/** Time that the pool needs at most to leave those that fail, in virtual ms: silence of each, a hold-off of the last, and a look at heads. */
const searchMs = 8_000
/** Time after the beginning in which nothing is known of any upstream, in virtual ms. */
const beginningMs = 10_000

/** A caller who leaves, or asks more than there are places for, is owed no answer. */
const notOwed: ReadonlySet<string> = new Set(['aborted', 'overloaded'])

/** A read is answered, and not refused by the gateway, where an upstream is sound all the while and nobody lies. */
export const servedWhereOneCan: Invariant = ({ plan, seen }) =>
  seen.calls.flatMap((call) => {
    const { plan: asked, settledAt, answers } = call
    const refused = answers?.find(({ rejected }) => rejected !== undefined && !notOwed.has(rejected))
    return refused !== undefined && settledAt !== undefined && isOwed(plan, call)
      ? [
          {
            at: settledAt,
            text: `call #${asked.id} was refused (${refused.error?.message}), while an upstream was sound`,
          },
        ]
      : []
  })

/** Time between blocks in which a proof may not be done, in virtual ms: it takes several questions, one after another. */
const fastMs = ({ upstreams }: Plan): number =>
  Math.max(1_000, 10 * Math.max(...upstreams.map(({ latencyMs }) => latencyMs)))

/** Whether nothing stands between a call and its answer. */
function isOwed(plan: Plan, { plan: { kind, deadlineMs }, at, settledAt }: SeenCall): boolean {
  if (kind !== 'read' || deadlineMs < searchMs || at < beginningMs || hasLies(plan)) return false
  // The chain is what most upstreams tell: one that goes on alone may as well be the liar.
  if (!hasSteadyMajority(plan)) return false
  // The latest block of a fast chain may be out of date before it is proven, each time.
  if (plan.verify === 'proven' && plan.blockMs < fastMs(plan)) return false
  const whole = plan.upstreams.filter(
    ({ stateBlocks, keptBlocks, tier }) => stateBlocks === undefined && keptBlocks === undefined && tier === 'primary',
  )
  const sound = soundIn(plan, at - beginningMs, settledAt!)
  // A proof of the latest block needs the word of most.
  const fewest = plan.verify === 'proven' ? Math.floor(plan.upstreams.length / 2) + 1 : 1
  const isCalm = !plan.reorgs.some((reorg) => Math.abs(reorg.at - at) < beginningMs)
  return isCalm && sound.length >= fewest && whole.some(({ name }) => sound.includes(name))
}
