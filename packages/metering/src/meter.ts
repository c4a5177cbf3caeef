import type { Lease } from './lease-host.ts'
import { createGcra, type RateRule } from './gcra.ts'
import type { Leases } from './lease.ts'

/** The span that a limit is about. */
export type LimitWindow = 'second' | 'day' | 'month'

/** Names a limit. */
export interface LimitName {
  /** Whose limit it is. */
  readonly scope: 'key' | 'project'
  /** The part of the caller's calls that it is about: all, one method or prefix, or one visitor. */
  readonly part: 'all' | 'method' | 'visitor'
  readonly window: LimitWindow
}

/** One limit of a caller: a bucket, here or leased. `now` and `date` are those of the clock, which is read once a call. */
export interface Meter {
  readonly name: LimitName
  /** Credits of the window. */
  readonly credits: number
  /** The window in seconds. */
  readonly seconds: number
  /** Milliseconds until a call is admitted: 0 now, infinite if not in this period. */
  wait(price: number, now: number, date: number): number
  /** Debits credits whatever the limit says; a negative number gives back. */
  debit(credits: number, now: number, date: number): void
  /** Whether `reserve` may debit a call that `wait` refuses. Absent: never. */
  mayReserve?(price: number, now: number): boolean
  /** Debits `price` credits where all that share the limit have left `least` of them. Resolves with what was debited; undefined: nothing. */
  reserve?(price: number, least: number, date: number): Promise<number | undefined>
  /** Notes that a call of `price` was refused for the rest of the period. */
  refused?(price: number): void
  /** Credits that are left, at least 0. */
  remaining(now: number, date: number): number
  /** Milliseconds until credits come again; 0 while nothing is missing. */
  resetMs(now: number, date: number): number
  /** Whether it holds nothing that a fresh one would not. */
  isIdle(now: number, date: number): boolean
}

export interface RateMeterOptions {
  readonly name: LimitName
  readonly id: string
  readonly rule: RateRule
  readonly leases: Leases | undefined
}

/** Creates the meter of a rate: exact in this process, or on a lease. */
export function createRateMeter({ name, id, rule, leases }: RateMeterOptions): Meter {
  const gcra = createGcra(rule)
  const seconds = Math.max(1, Math.ceil(gcra.burst / gcra.credits))
  const facts = { name, credits: gcra.credits * seconds, seconds }
  if (leases !== undefined)
    return leasedRate(facts, leases.lease({ id, perSecond: gcra.credits, burst: gcra.burst }), gcra)
  let state = 0
  return {
    ...facts,
    wait: (price, now) => gcra.wait(state, price, now * 1_000) / 1_000,
    debit(credits, now) {
      state = gcra.debit(state, credits, now * 1_000)
    },
    remaining: (now) => Math.max(0, gcra.remaining(state, now * 1_000)),
    resetMs: (now) => (gcra.isFull(state, now * 1_000) ? 0 : Math.max(1, gcra.wait(state, 1, now * 1_000) / 1_000)),
    isIdle: (now) => gcra.isFull(state, now * 1_000),
  }
}

function leasedRate(
  facts: Pick<Meter, 'name' | 'credits' | 'seconds'>,
  lease: Lease,
  { burst }: { readonly burst: number },
): Meter {
  return {
    ...facts,
    wait: (price, now) => lease.wait(price, now),
    debit: (credits, now) => lease.debit(credits, now),
    mayReserve: (price, now) => lease.mayReserve(price, now),
    reserve: (price, least) => lease.reserve(price, least),
    remaining: () => lease.remaining(),
    resetMs: (now) => (lease.remaining() >= burst ? 0 : Math.max(1, lease.wait(1, now))),
    isIdle: (now) => lease.isIdle(now),
  }
}
