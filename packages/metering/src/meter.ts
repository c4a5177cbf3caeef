import type { Clock } from '@wayleave/jsonrpc-core'
import { createGcra, type RateRule } from './gcra.ts'
import type { Lease, Leases } from './lease.ts'

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

/** One limit of a caller: a bucket, here or leased. Times are the clock's. */
export interface Meter {
  readonly name: LimitName
  /** Credits of the window. */
  readonly credits: number
  /** The window in seconds. */
  readonly seconds: number
  /** Milliseconds until a call is admitted: 0 now, infinite if not in this period. */
  wait(price: number): number
  /** Debits credits whatever the limit says; a negative number gives back. */
  debit(credits: number): void
  /** Credits that are left, at least 0. */
  remaining(): number
  /** Milliseconds until credits come again; 0 while nothing is missing. */
  resetMs(): number
  /** Whether it holds nothing that a fresh one would not. */
  isIdle(): boolean
}

export interface RateMeterOptions {
  readonly name: LimitName
  readonly id: string
  readonly rule: RateRule
  readonly clock: Clock
  readonly leases: Leases | undefined
}

/** Creates the meter of a rate: exact in this process, or on a lease. */
export function createRateMeter({ name, id, rule, clock, leases }: RateMeterOptions): Meter {
  const gcra = createGcra(rule)
  const seconds = Math.max(1, Math.ceil(gcra.burst / gcra.credits))
  const facts = { name, credits: gcra.credits * seconds, seconds }
  if (leases !== undefined)
    return leasedRate(facts, leases.lease({ id, perSecond: gcra.credits, burst: gcra.burst }), gcra)
  let state = 0
  const now = (): number => clock.now() * 1_000
  return {
    ...facts,
    wait: (price) => gcra.wait(state, price, now()) / 1_000,
    debit(credits) {
      state = gcra.debit(state, credits, now())
    },
    remaining: () => Math.max(0, gcra.remaining(state, now())),
    resetMs: () => (gcra.isFull(state, now()) ? 0 : Math.max(1, gcra.wait(state, 1, now()) / 1_000)),
    isIdle: () => gcra.isFull(state, now()),
  }
}

function leasedRate(
  facts: Pick<Meter, 'name' | 'credits' | 'seconds'>,
  lease: Lease,
  { burst }: { readonly burst: number },
): Meter {
  return {
    ...facts,
    wait: (price) => lease.wait(price),
    debit: (credits) => lease.debit(credits),
    remaining: () => lease.remaining(),
    resetMs: () => (lease.remaining() >= burst ? 0 : Math.max(1, lease.wait(1))),
    isIdle: () => lease.isIdle,
  }
}
