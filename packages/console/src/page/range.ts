import { computed, type ReadonlySignal } from '@preact/signals'
import { query } from './router.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A stretch of time up to now, and the steps in which it is shown. */
export interface Range {
  readonly name: string
  readonly text: string
  readonly ms: number
  /** `traffic`: this process measured it; `usage`: sums of the store. */
  readonly from: 'traffic' | 'usage'
  readonly step: number
  readonly period: 'minute' | 'hour' | 'day'
}

export const ranges: readonly Range[] = [
  { name: '15m', text: '15 minutes', ms: 15 * minute, from: 'traffic', step: 10_000, period: 'minute' },
  { name: '1h', text: '1 hour', ms: hour, from: 'traffic', step: 10_000, period: 'minute' },
  { name: '6h', text: '6 hours', ms: 6 * hour, from: 'traffic', step: minute, period: 'minute' },
  { name: '24h', text: '24 hours', ms: day, from: 'traffic', step: minute, period: 'hour' },
  { name: '7d', text: '7 days', ms: 7 * day, from: 'usage', step: hour, period: 'hour' },
  { name: '30d', text: '30 days', ms: 30 * day, from: 'usage', step: day, period: 'day' },
]

/** The range that is shown where only some are offered: the first of them, where another one is chosen. */
export function rangeAmong(offered: readonly Range[]): Range {
  return offered.includes(range.value) ? range.value : offered[0]!
}

/** The range that the address names; 15 minutes without one. */
export const range: ReadonlySignal<Range> = computed(() => {
  const name = query.value.get('range')
  return ranges.find((each) => each.name === name) ?? ranges[0]!
})
