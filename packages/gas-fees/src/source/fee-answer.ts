import { baseFeeHistory, baseFeePercentile, busyThreshold } from '../base-fees.ts'
import type { FeeHistory } from '../fee-history.ts'
import type { FeeStrategy } from '../strategy.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import { blockTimeOf, type ChainWindow } from './chain-window.ts'

/** The kinds of answer that are made of one history. */
export type FeeView = 'suggestedGasFees' | 'baseFeeHistory' | 'baseFeePercentile' | 'busyThreshold'

/** One answer, printed. */
export interface PrintedAnswer {
  /** JSON. */
  readonly body: string
  /** A strong entity tag, quotes included (RFC 9110 §8.8.3). */
  readonly etag: string
}

/** All that is answered after one block; each view is computed and printed at most once. */
export interface FeeAnswer {
  /** The newest block that it knows of. */
  readonly blockNumber: number
  readonly blockHash: string
  /** When that block was made, in ms since the Unix epoch. */
  readonly blockDate: number
  readonly history: FeeHistory
  readonly fees: SuggestedGasFees
  print(view: FeeView): PrintedAnswer
}

const views: Readonly<Record<FeeView, (answer: FeeAnswer) => unknown>> = {
  suggestedGasFees: ({ fees }) => fees,
  baseFeeHistory: ({ history }) => baseFeeHistory(history),
  baseFeePercentile: ({ history }) => ({ baseFeePercentile: baseFeePercentile(history) }),
  busyThreshold: ({ history }) => ({ busyThreshold: busyThreshold(history) }),
}

/** The answer after the newest block of a window, whose rewards are at the strategy's percentiles. */
export function createFeeAnswer(window: ChainWindow, strategy: FeeStrategy): FeeAnswer {
  const { number, hash, timestamp } = window.marks.at(-1)!
  const { blocks, nextBaseFeePerGas } = window
  const { percentiles } = strategy
  const printed = new Map<FeeView, PrintedAnswer>()
  let fees: SuggestedGasFees | undefined
  const answer: FeeAnswer = {
    blockNumber: number,
    blockHash: hash,
    blockDate: timestamp * 1_000,
    history: { percentiles, blocks, nextBaseFeePerGas, blockTimeMs: blockTimeOf(window) },
    get fees() {
      return (fees ??= suggestGasFees(answer.history, { strategy }))
    },
    print(view) {
      let print = printed.get(view)
      if (print === undefined) {
        print = { body: JSON.stringify(views[view](answer)), etag: `"${number}-${hash.slice(2, 18)}"` }
        printed.set(view, print)
      }
      return print
    },
  }
  return answer
}
