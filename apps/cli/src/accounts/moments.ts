import { UsageError } from '../command.ts'

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Reads a time such as `90s`, `15m`, `24h`, `7d` or `2w`, in ms; undefined where it is none. */
function durationMs(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * unitMs[unit!]!
}

/** Reads a flag with a time. @throws UsageError */
function durationFlag(flag: string, text: string): number {
  const ms = text === '0' ? 0 : durationMs(text)
  if (ms === undefined) throw new UsageError(`${flag}: expected a time such as 15m, 24h or 7d, got "${text}"`)
  return ms
}

/** Reads the flag of an overlap as the API takes it. @throws UsageError */
export function overlapOf(text: string | undefined): { readonly overlapSeconds?: number } {
  return text === undefined ? {} : { overlapSeconds: durationFlag('--overlap', text) / 1_000 }
}

const momentForm = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/

/**
 * Reads a flag with a moment, in Unix ms: `2027-01-31T12:00:00Z`, a day's beginning in UTC, or a time from `now` (`ahead`) or before it
 * (`ago`). @throws UsageError
 */
export function momentFlag(flag: string, text: string, now: number, direction: 'ahead' | 'ago'): number {
  const span = durationMs(text)
  if (span !== undefined) return direction === 'ahead' ? now + span : Math.max(0, now - span)
  const day = momentForm.exec(text)?.[1]
  // oxlint-disable-next-line no-restricted-globals -- parsing a given date reads no clock
  const moment = day !== undefined && isoOf(Date.parse(day))?.slice(0, 10) === day ? Date.parse(text) : Number.NaN
  if (!(moment >= 0)) {
    throw new UsageError(
      `${flag}: expected a time such as 24h or 7d, or a moment such as 2027-01-31T12:00:00Z or 2027-01-31, got "${text}"`,
    )
  }
  return moment
}

/** Prints Unix ms as `2027-01-31T12:00:00Z`; undefined beyond the years of the calendar. */
export function isoOf(ms: number): string | undefined {
  // oxlint-disable-next-line no-restricted-globals -- printing a given date reads no clock
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().replace('.000Z', 'Z') : undefined
}
