import type { Violation } from '../run/report.ts'
import { answersByDeadline } from './answers-by-deadline.ts'
import { atMostOnce } from './at-most-once.ts'
import { cacheReportsTheChain } from './cache-reports-the-chain.ts'
import { endsAreReleased } from './ends-are-released.ts'
import type { Evidence, Invariant } from './evidence.ts'
import { fairAmongProjects } from './fair-among-projects.ts'
import { groupsKeptApart } from './groups-kept-apart.ts'
import { headsWithoutGaps } from './heads-without-gaps.ts'
import { logsNeverFewer } from './logs-never-fewer.ts'
import { memoryBounded } from './memory-bounded.ts'
import { noOtherChain } from './no-other-chain.ts'
import { nothingFromExcluded } from './nothing-from-excluded.ts'
import { noWrongAnswer } from './no-wrong-answer.ts'
import { oneSubscriptionAKind } from './one-subscription-a-kind.ts'
import { relaysGoOn } from './relays-go-on.ts'
import { servedWhereOneCan } from './served-where-one-can.ts'
import { filtersComplete, streamsComplete } from './streams-complete.ts'
import { viewsMonotonic } from './views-monotonic.ts'

/** All rules, by their names. */
export const invariants: Readonly<Record<string, Invariant>> = {
  answersByDeadline,
  servedWhereOneCan,
  noWrongAnswer,
  noOtherChain,
  atMostOnce,
  viewsMonotonic,
  headsWithoutGaps,
  streamsComplete,
  filtersComplete,
  logsNeverFewer,
  relaysGoOn,
  oneSubscriptionAKind,
  cacheReportsTheChain,
  groupsKeptApart,
  nothingFromExcluded,
  fairAmongProjects,
  memoryBounded,
  endsAreReleased,
}

/** Breaches that are told of one rule. */
const mostReported = 3

/** Judges a run by all rules. */
export function judge(evidence: Evidence): readonly Violation[] {
  return Object.entries(invariants).flatMap(([invariant, look]) =>
    look(evidence)
      .slice(0, mostReported)
      .map((each) => ({ invariant, ...each })),
  )
}
