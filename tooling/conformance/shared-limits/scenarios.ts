import type { CallerGroup } from './load-program.ts'
import type { Deployment } from './deployment.ts'

/** A deployment under load, and the harm done to it. */
export interface Scenario {
  readonly name: string
  readonly does: string
  /** Seconds of load. */
  readonly seconds: number
  /** The limit in credits a second, and its callers, who want more than it. */
  readonly limit: number
  readonly over: Omit<CallerGroup, 'key'>
  /** Callers of another key who want less than their limit. */
  readonly below?: { readonly limit: number; readonly group: Omit<CallerGroup, 'key'> }
  /** A server that is away, from a second of the load on, for some seconds. */
  readonly outage?: {
    readonly from: number
    readonly seconds: number
    stop(deployment: Deployment, meanwhile: () => Promise<void>): Promise<void>
  }
}

const equal = ['eth_getBalance']
/** 242 credits on average. */
const mixed = [...Array.from({ length: 7 }, () => 'eth_getBalance'), 'eth_syncing', 'eth_syncing', 'net_version']

/** 300 of 400 calls a second are admitted; other callers want 100 of their 150. */
const twoKeys = {
  limit: 24_000,
  over: { callers: 10, perSecond: 400, methods: equal, catchesUp: true },
  below: { limit: 12_000, group: { callers: 10, perSecond: 100, methods: equal, catchesUp: false } },
} as const

export const scenarios: readonly Scenario[] = [
  {
    name: 'equal',
    does: '20 callers want 700 calls of one price a second; 500 are allowed',
    seconds: 30,
    limit: 40_000,
    over: { callers: 20, perSecond: 700, methods: equal, catchesUp: true },
  },
  {
    name: 'mixed',
    does: '20 callers want 700 calls of 80, 300 and 1,000 credits a second; 121,000 credits are allowed',
    seconds: 30,
    limit: 121_000,
    over: { callers: 20, perSecond: 700, methods: mixed, catchesUp: true },
  },
  {
    name: 'redis-killed',
    does: 'Redis is killed for 10 s, and comes back empty; 10 callers want more than their limit, 10 want less',
    seconds: 30,
    ...twoKeys,
    outage: { from: 10, seconds: 10, stop: ({ redis }, meanwhile) => redis.restart(meanwhile) },
  },
  {
    name: 'redis-stopped',
    does: 'the same, and Redis is stopped (SIGSTOP)',
    seconds: 30,
    ...twoKeys,
    outage: { from: 10, seconds: 10, stop: ({ redis }, meanwhile) => redis.freeze(meanwhile) },
  },
  {
    name: 'postgres-killed',
    does: 'the same, and PostgreSQL is killed for 30 s',
    seconds: 45,
    ...twoKeys,
    outage: { from: 5, seconds: 30, stop: ({ postgres }, meanwhile) => postgres.restart(meanwhile) },
  },
  {
    name: 'postgres-stopped',
    does: 'the same, and PostgreSQL is stopped (SIGSTOP) for 30 s',
    seconds: 45,
    ...twoKeys,
    outage: { from: 5, seconds: 30, stop: ({ postgres }, meanwhile) => postgres.freeze(meanwhile) },
  },
]
