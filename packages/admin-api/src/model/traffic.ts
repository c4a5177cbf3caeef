import { array, integer, is, optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { count, exact, name, time } from './fields.ts'

/** The steps of traffic, in ms: the short ones are kept for an hour, the long ones for a day. */
export type TrafficStep = 10_000 | 60_000

/** The calls that began to be answered in one step, and what was open at its end. */
export interface TrafficPoint {
  /** Unix time in ms when the step began. */
  readonly at: number
  readonly calls: number
  /** Calls that failed by the fault of the gateway or of its upstreams. */
  readonly errors: number
  /** Half of the calls took no longer, in ms, as their histogram tells; absent without calls. */
  readonly p50?: number | undefined
  readonly p99?: number | undefined
  /** Calls that the cache answered, of those that it may answer. */
  readonly cacheHits: number
  readonly cacheAsked: number
  /** Open WebSocket connections. */
  readonly sockets: number
  /** Open streams of server-sent events. */
  readonly streams: number
}

/** A question about traffic. */
export interface TrafficQuery {
  /** Unix time in ms; steps that begin from it on. Default: 15 minutes before `to`. */
  readonly from?: number
  /** Steps that begin before it. Default: now. */
  readonly to?: number
  /** Default: the shortest that is kept as long as from `from` until now. */
  readonly step?: TrafficStep
}

/** The times of calls, in ms, as their histogram tells; absent without calls. */
export interface TrafficTimes {
  /** Half of the calls took no longer. */
  readonly p50?: number | undefined
  readonly p99?: number | undefined
}

/** The calls that have begun and have no answer yet. */
export interface OpenTraffic {
  readonly calls: number
  /** Time since the oldest of them began, in ms; absent where none is open. */
  readonly oldestMs?: number | undefined
  /** The network of that one. */
  readonly network?: string | undefined
}

/** The traffic of the gateway that answers, its workers included, the oldest step first. */
export interface Traffic extends TrafficTimes {
  readonly step: TrafficStep
  /** Unix time in ms from which on it was counted. */
  readonly since: number
  /** At the time of the answer. */
  readonly open: OpenTraffic
  readonly items: readonly TrafficPoint[]
}

const step: Schema<TrafficStep> = is(
  '10000 or 60000',
  (value) => value === 10_000 || value === 60_000,
  () => ({ type: 'integer', enum: [10_000, 60_000] }),
)
/** A time in ms, or another amount, that may have parts. */
export const amount: Schema<number> = is(
  'a number, 0 or more',
  (value) => typeof value === 'number' && value >= 0,
  () => ({ type: 'number', minimum: 0 }),
)

export const trafficQuery: Schema<TrafficQuery> = exact<TrafficQuery>('a question about traffic', {
  from: optional(time),
  to: optional(time),
  step: optional(step),
})

const point: Schema<TrafficPoint> = exact<TrafficPoint>('a step', {
  at: time,
  calls: count,
  errors: count,
  p50: optional(amount),
  p99: optional(amount),
  cacheHits: count,
  cacheAsked: count,
  sockets: integer('a number'),
  streams: integer('a number'),
})

const open: Schema<OpenTraffic> = exact<OpenTraffic>('open calls', {
  calls: count,
  oldestMs: optional(amount),
  network: optional(name),
})

export const traffic: Schema<Traffic> = exact<Traffic>('traffic', {
  step,
  since: time,
  p50: optional(amount),
  p99: optional(amount),
  open,
  items: array(point),
})
