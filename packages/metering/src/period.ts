const dayMs = 86_400_000

/** A day or a calendar month, UTC. */
export type PeriodKind = 'day' | 'month'

/** One period of a quota. */
export interface Period {
  /** Days or months since 1970. */
  readonly index: number
  /** Ms since the Unix epoch. */
  readonly start: number
  /** Ms since the Unix epoch; the first moment after it. */
  readonly end: number
}

/** Returns the period that `date` lies in, in ms since the Unix epoch, from 1970 on. */
export function periodOf(kind: PeriodKind, date: number): Period {
  const day = Math.floor(date / dayMs)
  if (kind === 'day') return { index: day, start: day * dayMs, end: (day + 1) * dayMs }
  const index = monthOf(day)
  return { index, start: firstDayOf(index) * dayMs, end: firstDayOf(index + 1) * dayMs }
}

/** Returns the first day of a month, in days since 1970 (after H. Hinnant, "chrono-compatible low-level date algorithms"). */
function firstDayOf(month: number): number {
  // Years begin in March, so that the leap day is their last.
  const fromMarch = month - 2
  const year = 1970 + Math.floor(fromMarch / 12)
  const ofYear = ((fromMarch % 12) + 12) % 12
  const era = Math.floor(year / 400)
  const yearOfEra = year - era * 400
  const dayOfYear = Math.floor((153 * ofYear + 2) / 5)
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

function monthOf(day: number): number {
  // A month has 28 to 31 days, so this is at most two months too late for some millennia.
  let month = Math.floor(day / 30.436_875) + 1
  while (firstDayOf(month) > day) month--
  return month
}
