import type { MethodClass } from '../health/class-health.ts'
import type { Candidate } from '../selection/candidate.ts'
import { createCallBudget } from './call-budget.ts'

export interface HedgingOptions {
  /** Most hedges for each call. Default 0.05. */
  readonly share?: number
  /** Most hedges beyond that part, at once. Default 20. */
  readonly burst?: number
  /** Whether upstreams that cost money may be asked a second time, too. Default: not. */
  readonly evenPaid?: boolean
}

/** Decides when a read that takes long is asked of a second upstream beside the first. */
export interface Hedging {
  /** Counts a call, which pays for its part of a hedge. */
  counted(): void
  /**
   * The time after which a call of a class that `asked` has not answered may be sent to `next` as well, in ms: the time within which
   * `asked` answers 95 % of them. Undefined where it may not, or while that time is unknown.
   */
  afterMs(asked: Candidate, next: Candidate | undefined, methodClass: MethodClass): number | undefined
  /** Takes a hedge out of the budget when its time has come; false where the budget is spent. */
  take(): boolean
}

export function createHedging({ share = 0.05, burst = 20, evenPaid = false }: HedgingOptions = {}): Hedging {
  const budget = createCallBudget(share, burst)
  return {
    counted: budget.counted,
    take: budget.take,
    afterMs(asked, next, methodClass) {
      if (next === undefined || next.tier !== asked.tier || next.health === asked.health) return undefined
      if (!evenPaid && next.price > 0) return undefined
      const { p95Ms = Number.NaN } = asked.health.of(methodClass) ?? {}
      return Number.isNaN(p95Ms) ? undefined : p95Ms
    },
  }
}

/**
 * The time after which silence of an upstream is suspicious for a class, in ms. A read is then asked of the next one beside it; that is
 * no hedge but a failover, and not bound by its budget. Default while nothing is known: 1,000.
 */
export const patienceMs = ({ health }: Candidate, methodClass: MethodClass): number =>
  health.of(methodClass)?.patienceMs ?? 1_000

/**
 * The time after which an idempotent write is sent to the next upstream, too, in ms: {@link patienceMs}, and 500 while nothing is known,
 * since writes are rare and a second one does no harm.
 */
export function resendAfterMs({ health }: Candidate, methodClass: MethodClass): number {
  const it = health.of(methodClass)
  return it === undefined || Number.isNaN(it.log2Ms) ? 500 : it.patienceMs
}
