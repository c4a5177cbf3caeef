import { baseFeeHistory, baseFeePercentile, busyThreshold } from '../base-fees.ts'
import type { FeeHistory } from '../fee-history.ts'
import type { FeeStrategy } from '../strategy.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import { blockTimeOf, type ChainWindow } from './chain-window.ts'

/** The kinds of answer computed from one history. */
export type FeeView = 'suggestedGasFees' | 'baseFeeHistory' | 'baseFeePercentile' | 'busyThreshold'

/** One answer, printed. */
export interface PrintedAnswer {
  /** JSON. */
  readonly body: string
  /** A strong entity tag, quotes included (RFC 9110 §8.8.3). */
  readonly etag: string
}

/** All answers after one block; each view is computed and printed at most once. */
export interface FeeAnswer {
  /** The newest block in it. */
  readonly blockNumber: number
  readonly blockHash: string
  /** When that block was made, in ms since the Unix epoch. */
  readonly blockDate: number
  readonly history: FeeHistory
  readonly fees: SuggestedGasFees
  /** The promises of its strategy; undefined if it promises nothing. */
  readonly promises: FeeStrategy['promises']
  print(view: FeeView): PrintedAnswer
}

const views: Readonly<Record<FeeView, (answer: FeeAnswer) => unknown>> = {
  suggestedGasFees: ({ fees }) => fees,
  baseFeeHistory: ({ history }) => baseFeeHistory(history),
  baseFeePercentile: ({ history }) => ({ baseFeePercentile: baseFeePercentile(history) }),
  busyThreshold: ({ history }) => ({ busyThreshold: busyThreshold(history) }),
}

/** Answers from a window whose rewards are at the strategy's percentiles, and from the base fees before it. */
export function createFeeAnswer(
  window: ChainWindow,
  strategy: FeeStrategy,
  earlierBaseFees?: readonly bigint[],
): FeeAnswer {
  const { number, hash, timestamp } = window.marks.at(-1)!
  const { blocks, nextBaseFeePerGas, nodePriorityFeePerGas } = window
  const { percentiles } = strategy
  const printed = new Map<FeeView, PrintedAnswer>()
  let fees: SuggestedGasFees | undefined
  const answer: FeeAnswer = {
    blockNumber: number,
    blockHash: hash,
    blockDate: timestamp * 1_000,
    history: {
      percentiles,
      blocks,
      earlierBaseFees,
      nextBaseFeePerGas,
      nodePriorityFeePerGas,
      blockTimeMs: blockTimeOf(window),
    },
    promises: strategy.promises,
    get fees() {
      return (fees ??= suggestGasFees(answer.history, { strategy }))
    },
    print(view) {
      let print = printed.get(view)
      if (print === undefined) {
        const body = JSON.stringify(views[view](answer))
        print = { body, etag: `"${number}-${fingerprint(body)}"` }
        printed.set(view, print)
      }
      return print
    },
  }
  return answer
}

/**
 * Hashes a body for its tag. The block number alone would not do: the answer also depends on the strategy, and on how many
 * blocks before it are known. 64 bits by the steps of FNV-1a, in two halves.
 */
function fingerprint(text: string): string {
  let [low, high] = [0x811c9dc5, 0x9747b28c]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
