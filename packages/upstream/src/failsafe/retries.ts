import { createCallBudget } from './call-budget.ts'

export interface RetriesOptions {
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Most times that a read goes round all upstreams. Default 2. */
  readonly rounds?: number
  /** Most further rounds for each call, so that an outage is not made worse. Default 0.1. */
  readonly share?: number
  /** Most further rounds beyond that part, at once. Default 20. */
  readonly burst?: number
}

/** Decides whether a read that every upstream has failed goes round once more. */
export interface Retries {
  /** Counts a call, which pays for its part of a round. */
  counted(): void
  /** Returns the pause before another round, in ms, when `rounds` are done; undefined where there is none. */
  again(rounds: number): number | undefined
}

/** The longest pause before a round, in ms; it is random, so that calls that failed together do not come back together. */
const longestPauseMs = 50

export function createRetries({ random, rounds = 2, share = 0.1, burst = 20 }: RetriesOptions): Retries {
  const budget = createCallBudget(share, burst)
  return {
    counted: budget.counted,
    again: (done) => (done < rounds && budget.take() ? random() * longestPauseMs : undefined),
  }
}
