import type { Clock } from '@wayleave/jsonrpc-core'
import type { CallOutcome, CallRecord, RequestRefusal } from './call-record.ts'
import type { CallTrace } from './call-trace.ts'
import { explainRecent, explainRecord, explainRefusal } from './explain-call.ts'
import type { Explanation } from './explanation.ts'
import { createRecentCalls, type RecentCall, type ReportedError } from './recent-calls.ts'
import { type RecordedCall, recordOfKept, recordOfRecent } from './recorded-call.ts'
import { createRing } from './ring.ts'

/** Keeps the last calls, those that went badly for longer, and tells what became of them. */
export interface CallRecorder {
  /** Notes a call that was answered at once. */
  wentWell(
    trace: CallTrace,
    ms: number,
    upstream: string | undefined,
    cache: string | undefined,
    verification: string | undefined,
    error: ReportedError | undefined,
  ): void
  /** Notes a call that was not. */
  keep(record: CallRecord): void
  /** Notes a request that was refused before its calls were read. */
  refused(refusal: RequestRefusal): void
  /** Has everything that is noted told to a tap, too, or no longer. */
  tap(tap: RecorderTap | undefined): void
  /** Explains the calls under an id: those of its batch or connection, too, 100 at most, the last one first. */
  find(id: string): readonly Explanation[]
  /** Explains the last calls that went badly, the last one first. */
  last(count: number): readonly Explanation[]
  /** Explains the last calls that are wanted, however they went, in the order in which they began, and tells when that was by the clock. */
  latest(
    count: number,
    isWanted: (call: CallFacts) => boolean,
  ): readonly (readonly [begunAt: number, explanation: Explanation])[]
  /**
   * Returns the calls of the last quarter of an hour, however they went, in the order in which they began: back to the first one that went well and
   * is remembered, as those that went badly are for longer.
   */
  lately(): readonly RecordedCall[]
}

/** The facts that a call is chosen by. A request that was refused before it was read has no trace. */
export interface CallFacts {
  readonly trace: Pick<CallTrace, 'network' | 'method' | 'project'> | undefined
  readonly outcome: CallOutcome
  readonly ms: number
}

/** Hears what a recorder notes, as it does. */
export type RecorderTap = Pick<CallRecorder, 'wentWell' | 'keep' | 'refused'>

/** Calls that went well: at 1,000 a second, those of the last second. */
const mostRecent = 1_024
/** Calls of one kind that went badly, and their bytes. */
const mostKept = 1_024
const mostKeptBytes = 1_048_576
/** The time that counts as lately, in ms. */
const latelyMs = 900_000
/** Most calls that are told of an id. */
export const mostFound = 100

/**
 * Creates a {@link CallRecorder}. Calls that failed, that were slow, and that were refused have a ring each, so that a flood of refusals,
 * which one caller can bring about, drops no failure.
 */
export function createCallRecorder({ clock }: { readonly clock: Pick<Clock, 'now' | 'date'> }): CallRecorder {
  const recent = createRecentCalls(mostRecent)
  const failed = createRing<CallRecord>(mostKept, mostKeptBytes)
  const slow = createRing<CallRecord>(mostKept, mostKeptBytes)
  const refused = createRing<CallRecord>(mostKept, mostKeptBytes)
  const requests = createRing<RequestRefusal>(mostKept, mostKeptBytes / 4)

  // oxlint-disable-next-line eslint/no-restricted-globals -- prints a given date
  const printTime = (at: number): string => new Date(clock.date() - clock.now() + at).toISOString()
  const ringOf = ({ outcome }: CallRecord): typeof failed =>
    outcome === 'failed' ? failed : outcome === 'answered' || outcome === 'node_error' ? slow : refused

  let tapped: RecorderTap | undefined
  return {
    wentWell(trace, ms, upstream, cache, verification, error) {
      recent.add(trace, ms, upstream, cache, verification, error)
      if (tapped !== undefined) tapped.wentWell(trace, ms, upstream, cache, verification, error)
    },
    keep(record) {
      tapped?.keep(record)
      const { candidates, message = '', trace } = record
      ringOf(record).push(record, trace.bytes + 2 * message.length + 128 * candidates.length)
    },
    refused(refusal) {
      tapped?.refused(refusal)
      requests.push(refusal, 200 + 2 * refusal.message.length)
    },
    tap: (tap) => void (tapped = tap),
    find(id) {
      const isWanted = (other: string): boolean => other === id || other.startsWith(`${id}.`)
      const kept = [failed, slow, refused].flatMap((ring) =>
        ring.newestFirst().filter(({ trace }) => isWanted(trace.id)),
      )
      const all = [
        ...kept.map((record) => [record.trace.begunAt, () => explainRecord(record, printTime)] as const),
        ...requests
          .newestFirst()
          .filter((refusal) => isWanted(refusal.id))
          .map((refusal) => [refusal.at, () => explainRefusal(refusal, printTime)] as const),
        ...recent
          .find(isWanted)
          // One whose answer broke off later is kept, too.
          .filter((call) => !kept.some(({ trace }) => trace.id === call.id && trace.begunAt === call.begunAt))
          .map((call) => [call.begunAt, () => explainRecent(call, printTime)] as const),
      ]
      return newest(all, mostFound)
    },
    last(count) {
      const kept = [failed, slow, refused].flatMap((ring) => ring.newestFirst().slice(0, count))
      return newest(
        [
          ...kept.map((record) => [record.trace.begunAt, () => explainRecord(record, printTime)] as const),
          ...requests
            .newestFirst()
            .slice(0, count)
            .map((refusal) => [refusal.at, () => explainRefusal(refusal, printTime)] as const),
        ],
        count,
      )
    },
    latest(count, isWanted) {
      const kept = [failed, slow, refused].flatMap((ring) => ring.newestFirst().filter(isWanted))
      const isKept = ({ id, begunAt }: RecentCall): boolean =>
        kept.some(({ trace }) => trace.id === id && trace.begunAt === begunAt)
      const well = recent
        .find(() => true)
        .filter((call) => isWanted({ trace: call, outcome: outcomeOf(call), ms: call.ms }) && !isKept(call))
      const unread = requests.newestFirst().filter(() => isWanted({ trace: undefined, outcome: 'refused', ms: 0 }))
      return [
        ...kept.map((record) => [record.trace.begunAt, () => explainRecord(record, printTime)] as const),
        ...unread.map((refusal) => [refusal.at, () => explainRefusal(refusal, printTime)] as const),
        ...well.map((call) => [call.begunAt, () => explainRecent(call, printTime)] as const),
      ]
        .toSorted(([a], [b]) => a - b)
        .slice(-count)
        .map(([begunAt, explain]) => [begunAt, explain()] as const)
    },
    lately() {
      const zero = clock.date() - clock.now()
      const all = recent.find(() => true)
      const remembered =
        all.length < mostRecent ? Number.NEGATIVE_INFINITY : Math.min(...all.map((call) => call.begunAt))
      const since = Math.max(remembered, clock.now() - latelyMs)
      const kept = [failed, slow, refused]
        .flatMap((ring) => ring.newestFirst())
        .filter(({ trace }) => trace.begunAt >= since)
      const keptIds = new Set(kept.map(({ trace }) => `${trace.id} ${trace.begunAt}`))
      const well = all.filter(({ id, begunAt }) => begunAt >= since && !keptIds.has(`${id} ${begunAt}`))
      return [
        ...kept.map((record) => recordOfKept(record, zero)),
        ...well.map((call) => recordOfRecent(call, zero)),
      ].toSorted((a, b) => a.at - b.at)
    },
  }
}

function outcomeOf({ error }: Pick<RecentCall, 'error'>): CallOutcome {
  return error === undefined ? 'answered' : 'node_error'
}

function newest(all: readonly (readonly [at: number, explain: () => Explanation])[], count: number): Explanation[] {
  const sorted = all.toSorted(([a], [b]) => b - a).slice(0, count)
  return sorted.map(([, explain]) => explain())
}
