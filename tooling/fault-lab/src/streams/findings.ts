import type { SeenEvent, SeenPolls, SeenSession, SeenStream } from '../run/seen-streams.ts'
import type { Finding, Start, Timeline, Until } from './fold.ts'
import { foldHeads } from './fold-heads.ts'
import { foldLogs } from './fold-logs.ts'
import { foldReceipts } from './fold-receipts.ts'

/** Time in which an event reaches its callers where nodes are sound, in virtual ms. */
const settleMs = 6_000

/**
 * Looks for what one subscriber was not told, or told wrongly. `endedAt`: when callers left, if it must have come to the end of the chain
 * by then.
 */
export function findingsOfStream(
  stream: SeenStream,
  timeline: Timeline,
  endedAt: number | undefined,
): readonly Finding[] {
  const { plan, sessions } = stream
  if (endedAt === undefined) return runsOf(sessions).flatMap((run) => findingsOfRun(stream, run, timeline, undefined))
  const until = { from: endedAt - settleMs, to: endedAt }
  const isAway = plan.leavesAt === undefined && plan.at < until.from && sessions.at(-1)?.endedAt !== undefined
  const runs = runsOf(sessions)
  const found = runs.flatMap((run) =>
    findingsOfRun(
      stream,
      run,
      timeline,
      run.at(-1)!.endedAt === undefined && plan.leavesAt === undefined && run[0]!.openedAt < until.from
        ? until
        : undefined,
    ),
  )
  if (plan.at < until.from && plan.leavesAt === undefined && sessions.length === 0) {
    return [
      { kind: 'gap', at: endedAt, text: `it was never subscribed: ${stream.refusals.at(-1)?.text ?? 'no answer'}` },
    ]
  }
  if (!isAway || plan.kind === 'newPendingTransactions') return found
  return [
    ...found,
    {
      kind: 'gap',
      at: endedAt,
      text: `it could not come back after ${sessions.at(-1)!.why}: ${stream.refusals.at(-1)?.text ?? 'no answer'}`,
    },
  ]
}

/** Sessions that go on from one another are one run. */
function runsOf(sessions: readonly SeenSession[]): readonly (readonly SeenSession[])[] {
  const runs: SeenSession[][] = []
  for (const session of sessions) {
    if (session.goesOn && runs.length > 0) runs.at(-1)!.push(session)
    else runs.push([session])
  }
  return runs
}

function findingsOfRun(
  { plan, filter }: SeenStream,
  run: readonly SeenSession[],
  timeline: Timeline,
  until: Until | undefined,
): readonly Finding[] {
  const [first] = run
  const start: Start = { at: first!.openedAt, fromBlock: first!.fromBlock }
  const events = run.flatMap((session) => session.events)
  switch (plan.kind) {
    case 'newHeads':
      return [
        ...foldHeads(
          events.map(({ at, result }) => ({ at, result: (result as { readonly hash: unknown }).hash })),
          start,
          until,
          timeline,
        ),
        ...falseHeads(events, timeline),
      ]
    case 'logs':
      return foldLogs(events, start, until, { filter, timeline, mayTakeBackMore: run.length > 1 })
    case 'transactionReceipts':
      return foldReceipts(events, start, until, timeline)
    default:
      return []
  }
}

/** Headers with other members than the block's of that hash. */
function falseHeads(events: readonly SeenEvent[], { byHash }: Timeline): readonly Finding[] {
  return events.flatMap(({ at, result }) => {
    const reported = Object(result) as Readonly<Record<string, unknown>>
    const { header, number } = byHash(String(reported['hash'])) ?? {}
    const member =
      header && Object.keys(reported).find((name) => JSON.stringify(reported[name]) !== JSON.stringify(header[name]))
    return member === undefined
      ? []
      : [{ kind: 'order' as const, at, text: `head ${number} was told with a false ${member}` }]
  })
}

/** Looks for what one poller was not told, or told wrongly. `isOwedAll`: whether its last answer must reach the end of the chain. */
export function findingsOfPolls(
  { plan, filter, openedAt, polls, errors }: SeenPolls,
  timeline: Timeline,
  isOwedAll: boolean,
): readonly Finding[] {
  const lost = errors.find(({ text }) => text.includes('filter not found'))
  if (lost !== undefined) return [{ kind: 'gap', at: lost.at, text: 'its filter was forgotten' }]
  if (openedAt === undefined) return []
  const last = polls.at(-1)
  const until = last && isOwedAll ? { from: last.askedAt - settleMs, to: last.at } : undefined
  const events = polls.flatMap(({ at, results }) => results.map((result) => ({ at, result })))
  const start = { at: openedAt, fromBlock: undefined }
  if (plan.kind === 'blocks') return foldHeads(events, start, until, timeline)
  return foldLogs(events, start, until, { filter, timeline, mayTakeBackMore: true })
}
