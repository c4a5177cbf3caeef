import { send } from '../api/ask.ts'

/** What `/metrics` tells of one upstream: sums since the process began, and states of now. */
export interface UpstreamFigures {
  readonly calls: number
  readonly failures: number
  /** Answers, and the sum of their seconds. */
  readonly answers: number
  readonly seconds: number
  /** 0 closed, 0.5 half open, 1 open; undefined where it is not told. */
  readonly breaker: number | undefined
  /** The part of its daily budget that is spent, 0 to 1. */
  readonly spent: number | undefined
}

/** Figures of upstreams, by `<network> <upstream>`. */
export type FiguresByUpstream = ReadonlyMap<string, UpstreamFigures>

type Member = 'calls' | 'failures' | 'answers' | 'seconds' | 'breaker' | 'spentUnits' | 'budgetUnits'

const wanted: Readonly<Record<string, Member>> = {
  wayleave_upstream_calls_total: 'calls',
  wayleave_upstream_failures_total: 'failures',
  wayleave_upstream_seconds_count: 'answers',
  wayleave_upstream_seconds_sum: 'seconds',
  wayleave_upstream_breaker: 'breaker',
  wayleave_upstream_units_spent: 'spentUnits',
  wayleave_upstream_units_budget: 'budgetUnits',
}

/** Reads the series of upstreams from the text that Prometheus reads. */
export function readFigures(text: string): FiguresByUpstream {
  const sums = new Map<string, Partial<Record<Member, number>>>()
  for (const [, name, labels, value] of text.matchAll(/^(wayleave_upstream_\w+)\{(.*)\} (\S+)$/gm)) {
    const member = wanted[name!]
    const label = (of: string): string => new RegExp(`(?:^|,)${of}="((?:[^"\\\\]|\\\\.)*)"`).exec(labels!)?.[1] ?? ''
    if (member === undefined || (member.endsWith('Units') && label('period') !== 'day')) continue
    const key = `${label('network')} ${label('endpoint')}`
    let own = sums.get(key)
    if (own === undefined) sums.set(key, (own = {}))
    own[member] = (own[member] ?? 0) + Number(value)
  }
  return new Map(
    Array.from(sums, ([key, own]) => {
      const { calls = 0, failures = 0, answers = 0, seconds = 0, breaker, spentUnits, budgetUnits } = own
      const spent = spentUnits === undefined || budgetUnits === undefined ? undefined : spentUnits / budgetUnits
      return [key, { calls, failures, answers, seconds, breaker, spent }]
    }),
  )
}

/** What an upstream did between two looks. */
export interface UpstreamPace {
  readonly callsPerSecond: number | undefined
  /** 0 to 1; undefined without calls. */
  readonly failed: number | undefined
  /** The mean time to the beginning of an answer, in ms. */
  readonly meanMs: number | undefined
}

/** Compares two looks, `ms` apart; without an earlier one, of all time. */
export function paceOf(now: UpstreamFigures, before: UpstreamFigures | undefined, ms: number): UpstreamPace {
  // Sums that fall are those of a process that began anew.
  const since = before !== undefined && before.calls <= now.calls && before.answers <= now.answers ? before : undefined
  const calls = now.calls - (since?.calls ?? 0)
  const failures = now.failures - (since?.failures ?? 0)
  const answers = now.answers - (since?.answers ?? 0)
  const seconds = now.seconds - (since?.seconds ?? 0)
  return {
    callsPerSecond: since === undefined ? undefined : (calls * 1_000) / ms,
    failed: calls === 0 ? undefined : Math.min(1, failures / calls),
    meanMs: answers === 0 ? undefined : (seconds * 1_000) / answers,
  }
}

/** Loads the figures; none where the process tells no metrics. */
export async function loadFigures(signal: AbortSignal): Promise<FiguresByUpstream> {
  const response = await send('GET', '/metrics', { signal, accept: 'text/plain' })
  return response.ok ? readFigures(await response.text()) : new Map()
}
