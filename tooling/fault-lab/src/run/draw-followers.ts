import type { PollerPlan, ProjectPlan, StreamKind, SubscriberPlan } from '../plan.ts'
import type { Draw } from './draw.ts'

/** Draws a filter for logs; symbols stand for the chain's contracts and topics. */
export function drawFilter(draw: Draw): Readonly<Record<string, unknown>> {
  const address = draw.of(['$emitter:0', '$emitter:1', '$contract', ['$emitter:2', '$emitter:3']])
  const topics = [draw.of(['$event:0', '$event:1', ['$event:1', '$event:2']])]
  return draw.of([{}, { address }, { address }, { topics }, { address, topics }])
}

/** The part of plans with followers. */
const partOfPlans = 0.35
const kinds: readonly StreamKind[] = ['newHeads', 'logs', 'logs', 'transactionReceipts', 'newPendingTransactions']

/** Callers who follow the chain; none in most plans. */
interface Followers {
  readonly emits?: true
  readonly subscribers?: readonly SubscriberPlan[]
  readonly pollers?: readonly PollerPlan[]
}

/** Draws a few subscribers, who drop and come back, and pollers of filters, among the ordinary projects. */
export function drawFollowers(draw: Draw, until: number, projects: readonly ProjectPlan[]): Followers {
  if (!draw.chance(partOfPlans)) return {}
  const names = projects.filter(({ greedy }) => !greedy).map(({ name }) => name)
  const subscribers = Array.from({ length: draw.between(1, 5) }, (_, id): SubscriberPlan => {
    const kind = draw.of(kinds)
    const at = draw.between(500, until / 2)
    const drops = draw.chance(0.5) ? [] : [draw.between(at + 1_000, until)]
    const goesBack = (kind === 'logs' || kind === 'newHeads') && draw.chance(0.2)
    return {
      id,
      at,
      project: draw.of(names),
      kind,
      ...(kind === 'logs' && { filter: drawFilter(draw) }),
      ...(goesBack && { fromDepth: draw.of([0, 3, 40]) }),
      drops,
      awayMs: draw.of([100, 3_000]),
      ...(draw.chance(0.15) && { leavesAt: draw.between(at + 2_000, until) }),
    }
  })
  const pollers = Array.from({ length: draw.between(0, 2) }, (_, id): PollerPlan => {
    const base = { id, at: draw.between(500, until / 2), project: draw.of(names), everyMs: draw.of([1_000, 4_000]) }
    return draw.chance(0.5) ? { ...base, kind: 'logs', filter: drawFilter(draw) } : { ...base, kind: 'blocks' }
  })
  return { emits: true, subscribers, pollers }
}
