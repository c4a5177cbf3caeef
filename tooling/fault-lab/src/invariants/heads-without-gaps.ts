import type { Plan } from '../plan.ts'
import type { SeenSubscription } from '../run/seen.ts'
import type { Invariant } from './evidence.ts'
import { canMislead, hasSteadyMajority, soundIn } from './honest.ts'

/** Time that announcements may rest while an upstream is sound, in virtual ms, beside four blocks' time. */
const longestRestMs = 15_000

/** Announced heads follow on one another: none is left out or told twice, and they go on while an upstream is sound. */
export const headsWithoutGaps: Invariant = ({ plan, seen, endedAt }) => {
  if (canMislead(plan)) return []
  return seen.subscriptions
    .filter(({ kind }) => kind === 'newHeads')
    .flatMap((subscription) => [...leaps(subscription), ...rests(subscription, plan, endedAt)])
}

interface Head {
  readonly number: string
  readonly hash: string
  readonly parentHash?: string
}

function leaps({ id, events }: SeenSubscription) {
  const known = new Set<string>()
  return events.flatMap(({ at, result }, i) => {
    const { number, hash, parentHash } = result as Head
    const before = events[i - 1]?.result as Head | undefined
    const isDoubled = known.has(hash)
    known.add(hash)
    if (isDoubled) return [{ at, text: `head ${Number(number)} was told twice to subscription ${id}` }]
    // No block may have been made between a head and its parent.
    const isChild = before !== undefined && parentHash === before.hash
    if (before === undefined || isChild || Number(number) <= Number(before.number) + 1) return []
    return [{ at, text: `subscription ${id} was told head ${Number(number)} after ${Number(before.number)}` }]
  })
}

function rests({ id, events, openedAt, endedAt }: SeenSubscription, plan: Plan, until: number) {
  // The chain is what most upstreams tell: a fork of one beside another that falls behind is not followed at once.
  if (!hasSteadyMajority(plan)) return []
  const times = [openedAt, ...events.map(({ at }) => at), endedAt ?? until]
  const most = longestRestMs + 4 * plan.blockMs
  return times.flatMap((at, i) => {
    const from = times[i - 1] ?? at
    if (at - from <= most) return []
    const sound = soundIn(plan, from, at)
    const canReport = plan.upstreams.some(({ name, tier }) => tier === 'primary' && sound.includes(name))
    return canReport ? [{ at: from + most, text: `subscription ${id} was told nothing for ${at - from} ms` }] : []
  })
}
