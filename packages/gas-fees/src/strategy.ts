import type { FeeHistory } from './fee-history.ts'

export type FeeLevel = 'low' | 'medium' | 'high'

/** The fees to offer, in wei per gas. `maxFeePerGas` is never below the sum of the next base fee and the priority fee. */
export interface FeeOffer {
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
}

/** A promise: inclusion in one of the next `withinBlocks` blocks, with `probability`. The backtest measures it. */
export interface FeePromise {
  readonly withinBlocks: number
  readonly probability: number
}

/** A rule that makes offers from a history. Pure: the same history gives the same offers. */
export interface FeeStrategy {
  readonly name: string
  /** Undefined if the strategy promises nothing. */
  readonly promises: Readonly<Record<FeeLevel, FeePromise>> | undefined
  /** The most blocks it looks back; also for ranges and congestion. */
  readonly window: number
  /** With fewer blocks that tell rewards, its offers err upward, the node is asked for its own tip, and the suggestion says how many were known. */
  readonly fewestBlocks?: number
  /** The reward percentiles that it reads, with 10, 50 and 95, which `suggestGasFees` reads. */
  readonly percentiles: readonly number[]
  /** Each level's shortest and longest wait, in ms, if they do not follow from the promises. */
  readonly waitsMs?: Readonly<Record<FeeLevel, readonly [min: number, max: number]>>
  /** `estimatedBaseFee` is the newest block's base fee instead of the next one's. */
  readonly reportsLatestBaseFee?: boolean
  /** Makes offers that rise from low to high. The history holds at least those percentiles and one block. */
  offers(history: FeeHistory): Readonly<Record<FeeLevel, FeeOffer>>
}
