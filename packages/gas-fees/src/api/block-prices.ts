import type { FeeAnswer } from '../source/fee-answer.ts'
import type { FeeLevel } from '../strategy.ts'
import type { Incompleteness } from '../suggestion.ts'
import { weiFromGwei } from '../gwei.ts'

/** The answer of Blocknative's Gas Platform, whose service ended in June 2026. Amounts in gwei. Source: its documentation, "Gas Price API". */
export interface BlockPrices {
  readonly system: string
  readonly network: string
  readonly unit: 'gwei'
  /** The greatest of the prices below: no mempool is seen. */
  readonly maxPrice: number
  readonly currentBlockNumber: number
  readonly msSinceLastBlock: number
  readonly blockPrices: readonly [BlockPrice]
  /** Says what the suggestion lacks, where it lacks anything. */
  readonly wayleave?: Incompleteness | undefined
}

export interface BlockPrice {
  readonly blockNumber: number
  /** Always 0: not known. */
  readonly estimatedTransactionCount: 0
  readonly baseFeePerGas: number
  /** The three promises, and nothing between: `high`, `medium`, `low`. */
  readonly estimatedPrices: readonly EstimatedPrice[]
}

export interface EstimatedPrice {
  /** Percent of cases in which one of the next `wayleave.withinBlocks` blocks takes the offer. */
  readonly confidence: number
  /** The base fee of that block and the tip, for transactions with a gas price. */
  readonly price: number
  readonly maxPriorityFeePerGas: number
  readonly maxFeePerGas: number
  readonly wayleave: { readonly level: FeeLevel; readonly withinBlocks: number }
}

const levels: readonly FeeLevel[] = ['high', 'medium', 'low']

/** Tells a suggestion in Blocknative's shape; undefined where its strategy promises nothing, and so has no confidences. */
export function blockPricesOf(
  { blockNumber, fees, promises }: Pick<FeeAnswer, 'blockNumber' | 'fees' | 'promises'>,
  { network, ageMs }: { readonly network: string; readonly ageMs: number },
): BlockPrices | undefined {
  if (promises === undefined) return undefined
  const estimatedPrices = levels.map((level) => {
    const { suggestedMaxPriorityFeePerGas, suggestedMaxFeePerGas } = fees[level]
    const { probability, withinBlocks } = promises[level]
    const price = weiFromGwei(fees.estimatedBaseFee) + weiFromGwei(suggestedMaxPriorityFeePerGas)
    return {
      confidence: Math.round(100 * probability),
      price: Number(price) / 1e9,
      maxPriorityFeePerGas: Number(suggestedMaxPriorityFeePerGas),
      maxFeePerGas: Number(suggestedMaxFeePerGas),
      wayleave: { level, withinBlocks },
    }
  })
  return {
    system: 'ethereum',
    network,
    unit: 'gwei',
    maxPrice: estimatedPrices[0]!.price,
    currentBlockNumber: blockNumber,
    msSinceLastBlock: Math.round(ageMs),
    blockPrices: [
      {
        blockNumber: blockNumber + 1,
        estimatedTransactionCount: 0,
        baseFeePerGas: Number(fees.estimatedBaseFee),
        estimatedPrices,
      },
    ],
    ...(fees.wayleave && { wayleave: fees.wayleave }),
  }
}

/** Reads the chain id of a query; Ethereum's where it names none, and undefined where it names a chain in other words. */
export function chainIdOfQuery(query: string): string | undefined {
  const params = new URLSearchParams(query)
  const named = params.getAll('chainid')
  if (named.length > 1 || (named.length === 0 && (params.has('system') || params.has('network')))) return undefined
  return named[0] ?? '1'
}
