import { is, type Schema } from '@wayleave/jsonrpc-core/schema'

/** A moment: `2027-01-31T12:00:00Z`, with `Z` or an offset (RFC 3339), or `2027-01-31`, its beginning in UTC. */
export type Moment = string

const form = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

export const moment: Schema<Moment> = is(
  'a moment such as 2027-01-31T12:00:00Z, or a day such as 2027-01-31',
  (value) => typeof value === 'string' && isMoment(value),
  () => ({ type: 'string', pattern: form.source }),
)

/** Milliseconds since 1970 of a checked moment. */
export function dateOf(value: Moment): number {
  // oxlint-disable-next-line no-restricted-globals -- parsing a given date reads no clock
  return Date.parse(value)
}

function isMoment(value: string): boolean {
  const day = form.exec(value)?.[1]
  // The platform takes 31 February for a day in March.
  return day !== undefined && dayOf(dateOf(day)) === day && !Number.isNaN(dateOf(value))
}

function dayOf(date: number): string | undefined {
  // oxlint-disable-next-line no-restricted-globals -- printing a given date reads no clock
  return Number.isNaN(date) ? undefined : new Date(date).toISOString().slice(0, 10)
}
