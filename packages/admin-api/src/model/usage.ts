import type { UsageDimension, UsagePeriod, UsageSum } from '@wayleave/metering'
import { array, boolean, integer, oneOf, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { count, exact, time, words } from './fields.ts'

/** A question about usage. */
export interface UsageQuery extends Readonly<Partial<Record<UsageDimension, string>>> {
  /** Unix time in ms; brought down to the start of its period. Default: 24 hours before `to`. */
  readonly from?: number
  /** Periods that start before it. Default: now. */
  readonly to?: number
  /** The length of the periods that are summed, by UTC. Default `hour`. */
  readonly period?: UsagePeriod
  /** Members that sums are told apart by; `at`: the start of each period. Default: one sum. */
  readonly by?: readonly (UsageDimension | 'at')[]
  /** The most sums, 1 to 10,000. Default 1,000. */
  readonly limit?: number
}

/** Sums of usage. */
export interface Usage {
  readonly period: UsagePeriod
  readonly from: number
  readonly to: number
  readonly items: readonly UsageSum[]
  /** False if there are more sums than `limit`: ask for less time, or for fewer members in `by`. */
  readonly complete: boolean
}

const dimension = words(1, 256)

export const usageQuery: Schema<UsageQuery> = exact<UsageQuery>('a question about usage', {
  from: optional(time),
  to: optional(time),
  period: optional(oneOf('minute', 'hour', 'day')),
  by: optional(array(oneOf<UsageDimension | 'at'>('project', 'key', 'network', 'method', 'status', 'at'))),
  limit: optional(integer('a whole number from 1 to 10,000', 1, 10_000)),
  project: optional(dimension),
  key: optional(dimension),
  network: optional(dimension),
  method: optional(dimension),
  status: optional(dimension),
})

const sum: Schema<UsageSum> = exact<UsageSum>('a sum', {
  at: optional(time),
  project: optional(dimension),
  key: optional(dimension),
  network: optional(dimension),
  method: optional(dimension),
  status: optional(dimension),
  calls: count,
  credits: count,
})

export const usage: Schema<Usage> = exact<Usage>('usage', {
  period: oneOf('minute', 'hour', 'day'),
  from: time,
  to: time,
  items: array(sum),
  complete: boolean,
})
