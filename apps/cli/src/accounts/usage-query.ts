import type { UsageDimension, UsagePeriod, UsageQuery } from '@wayleave/admin-api'
import { UsageError } from '../command.ts'
import { momentFlag } from './moments.ts'

const dimensions = ['project', 'key', 'network', 'method', 'status'] as const
const periods = ['minute', 'hour', 'day'] as const
/** The members by which sums of usage are told apart. */
export const usageMembers: readonly UsageMember[] = [...dimensions, ...periods]
/** A member by which sums of usage are told apart. */
export type UsageMember = UsageDimension | UsagePeriod

/** A question about usage as people ask it. */
export interface AskedUsage extends Readonly<Partial<Record<UsageDimension, string | undefined>>> {
  /** `24h`, `7d` or a moment. */
  readonly since: string
  /** The same. Default: now. */
  readonly until?: string | undefined
  /** One period at most. */
  readonly by: readonly UsageMember[]
}

const mostSums = 10_000
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** Makes the question that the API takes; `nameOf` names a member in errors. @throws UsageError */
export function usageQuery(asked: AskedUsage, now: number, nameOf: (member: 'since' | 'until') => string): UsageQuery {
  const { since, until, by } = asked
  const to = until === undefined ? now : momentFlag(nameOf('until'), until, now, 'ago')
  const from = momentFlag(nameOf('since'), since, now, 'ago')
  if (from > to) {
    const end = until === undefined ? 'now' : `that of ${nameOf('until')}`
    throw new UsageError(`${nameOf('since')}: expected a moment before ${end}`)
  }
  const filters = dimensions.flatMap((name) => (asked[name] === undefined ? [] : [[name, asked[name]] as const]))
  return {
    ...Object.fromEntries(filters),
    from,
    to,
    period: periodOf(by, now - from),
    by: by.map((name) => (isUsagePeriod(name) ? 'at' : name)),
    limit: mostSums,
  }
}

/** Tells a period from other members. */
export function isUsagePeriod(name: UsageMember): name is UsagePeriod {
  return periods.some((period) => period === name)
}

/** Picks the period that is told apart, else the shortest that does not make the store read too many rows, or those it has pruned. */
function periodOf(by: readonly UsageMember[], ageMs: number): UsagePeriod {
  const named = by.find(isUsagePeriod)
  if (named !== undefined) return named
  if (ageMs <= 2 * hourMs + minuteMs) return 'minute'
  return ageMs <= 7 * dayMs + hourMs ? 'hour' : 'day'
}
