import { findings } from '../invariants/streams-complete.ts'
import type { Evidence } from '../invariants/evidence.ts'
import type { FaultKind } from '../plan.ts'
import type { StreamCounts } from './report.ts'

/** The faults that take an upstream, or what it pushes, away. */
const ofLosses: ReadonlySet<FaultKind> = new Set([
  'crash',
  'hang',
  'flap',
  'drop_socket',
  'freeze',
  'mute_push',
  'restart_old',
])

/** Counts what subscribers and pollers of a run were told, and its faults. */
export function countStreams(evidence: Evidence): StreamCounts {
  const { plan, streams, polls } = evidence
  const found = findings(evidence)
  const count = (wanted: string): number => found.filter(({ kind }) => kind === wanted).length
  const sessions = streams.flatMap((stream) => stream.sessions)
  const reported = sessions.reduce((sum, { events }) => sum + events.length, 0)
  const polled = polls.flatMap((each) => each.polls).reduce((sum, { results }) => sum + results.length, 0)
  return {
    losses: plan.faults.filter(({ kind }) => ofLosses.has(kind)).length,
    reorgs: plan.reorgs.length,
    subscribers: streams.length,
    pollers: polls.length,
    events: reported + polled,
    ends: sessions.filter(({ why }) => why !== undefined && !why.startsWith('1006')).length,
    gaps: count('gap'),
    duplicates: count('duplicate'),
    orderErrors: count('order'),
  }
}
