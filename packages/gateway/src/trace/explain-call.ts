import type { CandidateThen } from '@wayleave/network'
import type { CallRecord, RequestRefusal } from './call-record.ts'
import type { CallTrace } from './call-trace.ts'
import type { ExplainedAttempt, Explanation } from './explanation.ts'
import type { RecentCall, ReportedError } from './recent-calls.ts'
import { exclusionText, failureText, printMs } from './words.ts'

/** Prints a moment of the clock as an ISO 8601 date. */
export type PrintTime = (at: number) => string

/** Explains a call that went well. */
export function explainRecent(call: RecentCall, printTime: PrintTime): Explanation {
  const { begunAt, ms, error, upstream, cache, verification, ...origin } = call
  return {
    ...origin,
    time: printTime(begunAt),
    outcome: error === undefined ? 'answered' : 'node_error',
    code: error?.code,
    cause:
      error === undefined
        ? `answered by ${cache === 'hit' ? 'the cache' : (upstream ?? 'the gateway')}`
        : nodeErrorText(upstream, error),
    ms,
    upstream,
    attempts: [],
    candidates: [],
    cache,
    verification,
    queuedMs: undefined,
    sharedWith: undefined,
  }
}

/** Says which error a node gave as the answer. */
export function nodeErrorText(upstream: string | undefined, { code, message }: ReportedError): string {
  const words = message === '' ? '' : `: ${message}`
  return `${upstream ?? 'the gateway'} answered with an error of its own, ${code}${words}`
}

/** Explains a request that was refused before its calls were read. */
export function explainRefusal({ id, at, status, message }: RequestRefusal, printTime: PrintTime): Explanation {
  return {
    id,
    time: printTime(at),
    network: undefined,
    method: undefined,
    project: undefined,
    keyId: undefined,
    outcome: 'refused',
    code: status,
    cause: `refused with HTTP status ${status} before it was read: ${message}`,
    ms: 0,
    upstream: undefined,
    attempts: [],
    candidates: [],
    cache: undefined,
    verification: undefined,
    queuedMs: undefined,
    sharedWith: undefined,
  }
}

/** Explains a call that was not answered, or not at once. */
export function explainRecord(record: CallRecord, printTime: PrintTime): Explanation {
  const { trace, ms, outcome, code, upstream, cache, verification } = record
  // Only the first caller of a shared call has its attempts.
  const reported = trace.leader ?? trace
  const attempts = attemptsOf(reported, trace.begunAt)
  const asked = new Set(attempts.map((attempt) => attempt.upstream))
  const candidates = record.candidates.flatMap(({ upstream: name, reason, detail }) =>
    reason === undefined ? [] : [{ upstream: name, reason, text: textOf(name, reason, detail) }],
  )
  const queued = reported.marks.findLast(({ kind }) => kind === 'queued')
  return {
    id: trace.id,
    time: printTime(trace.begunAt),
    network: trace.network,
    method: trace.method,
    project: trace.project,
    keyId: trace.keyId,
    outcome,
    code,
    cause: causeOf(record, attempts, asked, queued?.ms),
    ms,
    upstream,
    attempts,
    candidates,
    cache,
    verification,
    queuedMs: queued?.ms,
    sharedWith: trace.leader?.id,
  }
}

function textOf(upstream: string, reason: string, detail: string | undefined): string {
  const text = `${upstream} ${exclusionText(reason)}`
  return detail === undefined || detail === reason.replaceAll('_', ' ') ? text : `${text}: ${detail}`
}

/** Puts the marks of attempts together. */
function attemptsOf(trace: CallTrace, begunAt: number): readonly ExplainedAttempt[] {
  const open: { upstream: string; at: number; isHedge: boolean; ms?: number; outcome?: string; words?: string }[] = []
  for (const { kind, ms, name, why } of trace.marks) {
    if (kind === 'asked' || kind === 'hedged') open.push({ upstream: name, at: ms, isHedge: kind === 'hedged' })
    else if (kind === 'answered' || kind === 'failed') {
      const attempt = open.findLast(
        // An answer that had begun may still break off.
        (each) => each.upstream === name && (each.outcome === undefined || kind === 'failed'),
      )
      if (attempt === undefined) continue
      const [failure = '', words] = why?.split('\n') ?? []
      attempt.ms = ms
      attempt.outcome = kind === 'answered' ? 'answered' : failure
      if (words !== undefined) attempt.words = words
    }
  }
  return open.map(({ upstream, at, isHedge, ms, outcome = 'given_up', words }) => {
    const what = outcome === 'answered' ? 'answered' : failureText(outcome)
    const after = ms === undefined ? '' : ` after ${printMs(ms)}`
    const text = `${upstream} ${what}${after}${words === undefined ? '' : `: ${words}`}`
    return { upstream, atMs: Math.max(0, at - begunAt), ms, isHedge, outcome, text }
  })
}

/** Says in one sentence what became of a call, and why. */
function causeOf(
  { trace, ms, outcome, code, message, upstream, candidates, cache }: CallRecord,
  attempts: readonly ExplainedAttempt[],
  asked: ReadonlySet<string>,
  queuedMs: number | undefined,
): string {
  const reason = trace.marks.find(({ kind }) => kind === 'because')?.name
  const bad = attempts.filter((attempt) => attempt.outcome !== 'answered')
  const left = candidates.filter((each) => each.reason !== undefined && !asked.has(each.upstream))
  switch (outcome) {
    case 'refused':
      return reason ?? `the gateway refused it: ${message ?? code}`
    case 'cancelled': {
      const waited = attempts.find(({ outcome: how }) => how === 'given_up')
      const meanwhile =
        waited !== undefined
          ? `, while ${waited.upstream} had not answered for ${printMs(ms - waited.atMs)}`
          : attempts.length === 0
            ? ', before an upstream was asked'
            : ''
      return `the caller closed the connection after ${printMs(ms)}${meanwhile}`
    }
    case 'failed': {
      const why = [...bad.map(({ text }) => text), ...left.map((each) => thenText(each))]
      return [message ?? `it failed (${code})`, ...why].join('; ')
    }
    case 'node_error':
    case 'answered': {
      const by = upstream ?? (cache === 'hit' ? 'the cache' : 'the gateway')
      const end =
        outcome === 'answered' ? `answered by ${by}` : nodeErrorText(by, { code: Number(code), message: message ?? '' })
      const why = [
        ...(queuedMs === undefined ? [] : [`it waited ${printMs(queuedMs)} for an upstream with room`]),
        ...bad.map(({ text, outcome: how, upstream: name, isHedge }) =>
          how === 'given_up'
            ? isHedge
              ? `${name} was asked, too, and was slower`
              : `${name} was silent, so that another one was asked beside it`
            : text,
        ),
      ]
      if (why.length > 0) return `${end} after ${printMs(ms)}: ${why.join('; ')}`
      const slow = attempts.find((attempt) => attempt.upstream === upstream)?.ms
      return slow === undefined
        ? `${end} after ${printMs(ms)}`
        : `${end} after ${printMs(ms)}, of which ${upstream} took ${printMs(slow)}`
    }
  }
}

function thenText({ upstream, reason, detail }: CandidateThen): string {
  return textOf(upstream, reason!, detail)
}
