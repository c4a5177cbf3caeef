import type { FeeHistory } from './fee-history.ts'

export type FeeLevel = 'low' | 'medium' | 'high'

/** What a transaction should offer, in wei per gas. `maxFeePerGas` is never below the next base fee and the priority fee together. */
export interface FeeOffer {
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
}

/** What a level promises: with `probability`, inclusion in one of the next `withinBlocks` blocks. The backtest measures it. */
export interface FeePromise {
  readonly withinBlocks: number
  readonly probability: number
}

/** A rule that makes offers of a history. Pure: the same history makes the same offers. */
export interface FeeStrategy {
  readonly name: string
  /** Undefined where a strategy promises nothing. */
  readonly promises: Readonly<Record<FeeLevel, FeePromise>> | undefined
  /** How many blocks it looks back at most; ranges and congestion too. */
  readonly window: number
  /** The percentiles of a block's rewards that it reads, 10, 50 and 95 among them: `suggestGasFees` reads those. */
  readonly percentiles: readonly number[]
  /** The shortest and the longest wait of each level, in ms, where they do not follow from the promises. */
  readonly waitsMs?: Readonly<Record<FeeLevel, readonly [min: number, max: number]>>
  /** `estimatedBaseFee` tells the newest block's base fee instead of the next one's. */
  readonly tellsLatestBaseFee?: boolean
  /** For a history that holds at least those percentiles, and one block or more. Offers rise from low to high. */
  offers(history: FeeHistory): Readonly<Record<FeeLevel, FeeOffer>>
}
