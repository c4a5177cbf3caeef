import type { Invariant } from './evidence.ts'
import { canMislead, soundIn } from './honest.ts'

/** Time for which upstreams that push are sound, so that a relay has found one, and in which a transaction is announced, in virtual ms. */
const searchMs = 8_000
const announceMs = 2_000

/** Subscribers of pending transactions are told those that are sent at the end of a run, while all upstreams that push are sound. */
export const relaysGoOn: Invariant = (evidence) => {
  const { plan, streams, truth, endedAt } = evidence
  const sound = soundIn(plan, endedAt - searchMs, endedAt)
  const pushing = plan.upstreams.filter(({ transport, tier }) => transport !== 'http' && tier === 'primary')
  if (canMislead(plan) || pushing.length === 0 || !pushing.every(({ name }) => sound.includes(name))) return []
  const from = endedAt - searchMs / 2
  const sent = truth.sendings.filter(({ at, isAccepted }) => isAccepted && at >= from && at < endedAt - announceMs)
  return streams.flatMap(({ plan: { id, kind, leavesAt }, sessions }) => {
    const last = sessions.at(-1)
    if (kind !== 'newPendingTransactions' || leavesAt !== undefined) return []
    if (last === undefined || last.endedAt !== undefined || last.openedAt > from) return []
    const reported = new Set(last.events.map(({ result }) => result))
    const unreported = sent.find(({ hash }) => !reported.has(hash))
    return unreported === undefined
      ? []
      : [{ at: unreported.at, text: `subscriber ${id} was never told of transaction ${unreported.hash.slice(0, 10)}` }]
  })
}
