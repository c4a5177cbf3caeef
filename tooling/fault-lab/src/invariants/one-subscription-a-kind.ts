import type { FaultKind } from '../plan.ts'
import type { Evidence, Invariant } from './evidence.ts'

/** Questions for the contents of one block: its logs, and its receipts. */
const dataCalls = 2

const deafening: ReadonlySet<FaultKind> = new Set(['hang'])
/** Faults that keep the id of a subscription from the gateway, so that it cannot end it. */
const muffling: ReadonlySet<FaultKind> = new Set(['garble', 'truncate', 'stall_mid_body'])

/**
 * Subscribers share what upstreams are asked: each upstream has at most one subscription of a kind, and where nothing fails, the contents
 * of a block are asked for at most twice, only where somebody wants them.
 */
export const oneSubscriptionAKind: Invariant = (evidence) => {
  const { plan, tally } = evidence
  if ((plan.subscribers ?? []).length === 0) return []
  // A node that hangs does not hear that a subscription has ended.
  const mostOf = (name: string): number => {
    const own = plan.faults.filter(({ upstream }) => upstream === name.split(' ')[0])
    if (own.some(({ kind }) => muffling.has(kind))) return Number.POSITIVE_INFINITY
    return own.some(({ kind }) => deafening.has(kind)) ? 2 : 1
  }
  const shared = [...tally.mostOpen].flatMap(([name, most]) =>
    most > mostOf(name) ? [{ at: plan.lengthMs, text: `${name}: ${most} subscriptions at a time` }] : [],
  )
  return [...shared, ...tooOften(evidence)]
}

function tooOften({ plan, tally, chain }: Evidence) {
  const { faults, subscribers = [], pollers = [], calls, verify } = plan
  const isPlain = faults.length === 0 && pollers.length === 0 && calls.length === 0 && verify === 'off'
  const goesBack = subscribers.some(({ drops, fromDepth }) => drops.length > 0 || fromDepth !== undefined)
  if (!isPlain || goesBack) return []
  const wanted = subscribers.filter(({ kind }) => kind === 'logs' || kind === 'transactionReceipts')
  const first = Math.min(...wanted.map(({ at }) => at))
  const last = Math.max(...wanted.map(({ leavesAt = Number.POSITIVE_INFINITY }) => leavesAt))
  return chain.heads.flatMap(({ at, block }) => {
    const times = tally.contents.get(block.hash) ?? 0
    if (times > dataCalls) return [{ at, text: `the contents of block ${block.number} were asked for ${times} times` }]
    const isWanted = at >= first - plan.blockMs && at <= last
    return times === 0 || isWanted
      ? []
      : [{ at, text: `the contents of block ${block.number} were asked for, and nobody wanted them` }]
  })
}
