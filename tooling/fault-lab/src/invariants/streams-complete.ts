import type { Finding } from '../streams/fold.ts'
import { timelineOf } from '../streams/fold.ts'
import { findingsOfPolls, findingsOfStream } from '../streams/findings.ts'
import type { Evidence, Invariant } from './evidence.ts'
import { canMislead, hasCalmEnd, hasLies } from './honest.ts'

const found = new WeakMap<Evidence, readonly Finding[]>()

/** All that subscribers and pollers were not told, or told wrongly, with their names. */
export function findings(evidence: Evidence): readonly Finding[] {
  const known = found.get(evidence)
  if (known !== undefined) return known
  const all = [...ofStreams(evidence), ...ofPolls(evidence)]
  found.set(evidence, all)
  return all
}

function ofStreams({ plan, streams, chain, endedAt }: Evidence): readonly Finding[] {
  const isOwedAll = hasCalmEnd(plan)
  return streams.flatMap((stream) => {
    const { id, kind } = stream.plan
    return findingsOfStream(stream, timelineOf(chain), isOwedAll ? endedAt : undefined).map((each) => ({
      ...each,
      text: `subscriber ${id} of ${kind}: ${each.text}`,
    }))
  })
}

function ofPolls({ plan, polls, chain }: Evidence): readonly Finding[] {
  const isOwedAll = hasCalmEnd(plan)
  return polls.flatMap((each) => {
    const { id, kind } = each.plan
    return findingsOfPolls(each, timelineOf(chain), isOwedAll).map((finding) => ({
      ...finding,
      text: `poller ${id} of ${kind}: ${finding.text}`,
    }))
  })
}

const toViolation = ({ kind, at, text }: Finding) => ({ at, text: `${kind}: ${text}` })

/** Each subscriber's events, folded, are the chain's from its start to its end: none is missing, told twice, or out of order. */
export const streamsComplete: Invariant = (evidence) =>
  canMislead(evidence.plan)
    ? []
    : findings(evidence)
        .filter(({ text }) => text.startsWith('subscriber'))
        .map(toViolation)

/** The same for the answers to polls of a filter, where nobody lies: their ranges of logs may be answered unproven. */
export const filtersComplete: Invariant = (evidence) =>
  hasLies(evidence.plan)
    ? []
    : findings(evidence)
        .filter(({ text }) => text.startsWith('poller'))
        .map(toViolation)
