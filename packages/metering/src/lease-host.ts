import type { Clock } from '@wayleave/jsonrpc-core'
import type { LimitAuthority } from './authority.ts'

/** A bucket, as {@link LimitAuthority.take} describes it. */
export interface LeasedBucket {
  readonly id: string
  readonly perSecond: number
  readonly burst: number
  /** The end of the period of a bucket without inflow, in ms since the Unix epoch. */
  readonly end?: number
  /** How long the authority keeps such a bucket after each question, in ms. Default: to a day after its period. */
  readonly keepMs?: number | undefined
}

/**
 * One process' part in a shared bucket. It decides synchronously: on its share of what the authority last told was left, and of what
 * flows in since. What it spent it owes, and settles in the background. While the authority is silent the share alone remains.
 */
export interface Lease {
  /** Milliseconds until a call is admitted; 0: now; infinite where nothing flows in. `now` is the clock's. */
  wait(price: number, now: number): number
  /** Debits credits, or gives back. */
  debit(credits: number, now: number): void
  /** Whether the authority may have the credits of a call that `wait` refuses: those that other processes could have spent. */
  mayReserve(price: number, now: number): boolean
  /**
   * Debits `price` credits at the authority, or what is left of all, if that is `least` or more: below a price, for an event alone.
   * Resolves with what was debited; undefined: nothing. Where the authority is silent, the share decides.
   */
  reserve(price: number, least: number): Promise<number | undefined>
  /**
   * Makes at least these credits count as spent, of a bucket without inflow: until the authority has answered, and to tell it if it knows
   * the bucket no longer.
   */
  restore(credits: number): void
  /** Credits that are left for all processes, as far as is known; not below 0. */
  remaining(): number
  /** Credits that were spent here and not yet debited by the authority; below 0 for credits to give back. */
  readonly owed: number
  /** Whether it holds nothing that a fresh one would not. */
  isIdle(now: number): boolean
}

/** A lease that its host has settled. */
export interface BucketLease extends Lease {
  ask(): void
  readonly isSettled: boolean
}

/** The leases of one process, as each of them knows them. */
export interface LeaseHost {
  readonly clock: Clock
  readonly authority: LimitAuthority
  readonly timeoutMs: number
  /** Questions that are on their way. */
  readonly asked: Set<Promise<void>>
  /** Whether the authority may be asked at this time of the clock. */
  mayAsk(now: number): boolean
  /** Whether the last question was answered. */
  isHeard(): boolean
  newToken(): string
  share(): number
  answered(): void
  failed(why: unknown): void
  settleSoon(lease: BucketLease): void
}
