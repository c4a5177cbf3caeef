import type { FeeHistory, FeeLevel, FeeOffer, FeeStrategy } from '@wayleave/gas-fees'
import type { Market } from '../market.ts'
import { alloyOffer, foundryOffer, frameOffer } from './libraries.ts'
import { nodeTip, nodeTipWindow } from './node-tip.ts'

/** The percentiles of `eth_feeHistory` that these rules read. */
const percentiles: readonly number[] = Array.from({ length: 21 }, (_, step) => step * 5)

/**
 * Rules that wallets take from their library or node, for a market's chain. They promise nothing, and all but Foundry's
 * make one offer, used for all three levels.
 */
export function createPeers({ node, chainId }: Pick<Market, 'node' | 'chainId'>): readonly FeeStrategy[] {
  return [
    peer('viem', (history) => viemOffer(history, nodeTip(history, node))),
    peer('ethers', (history) => ethersOffer(history, nodeTip(history, node))),
    peer('eth_gasPrice', (history) => gasPriceOffer(history, nodeTip(history, node))),
    peer('alloy', alloyOffer),
    peer('foundry', foundryOffer),
    peer('frame', (history) => frameOffer(history, chainId)),
  ]
}

/**
 * viem's `estimateFeesPerGas`: the latest block's base fee (not the next one's) times 1.2, and the tip that the node
 * suggests. Source: `actions/public/estimateFeesPerGas.ts` of viem 2.57.
 */
function viemOffer({ blocks }: FeeHistory, tip: bigint): FeeOffer {
  return { maxPriorityFeePerGas: tip, maxFeePerGas: (blocks.at(-1)!.baseFeePerGas * 12n) / 10n + tip }
}

/**
 * ethers' `getFeeData`: twice the latest block's base fee, and the tip that the node suggests; 1 gwei only if a node
 * suggests none. If the base fee is 0 it makes no offer: 0 and the tip are used here. Source:
 * `providers/abstract-provider.ts` of ethers 6.17.
 */
function ethersOffer({ blocks }: FeeHistory, tip: bigint): FeeOffer {
  return { maxPriorityFeePerGas: tip, maxFeePerGas: blocks.at(-1)!.baseFeePerGas * 2n + tip }
}

/**
 * Offers the answer of `eth_gasPrice`, for legacy transactions, which pay all they offer: the latest block's base fee
 * and the suggested tip. Source: `internal/ethapi/api.go` of go-ethereum. (Transactions that geth itself fills in get
 * twice the base fee instead, which is {@link ethersOffer}.)
 */
function gasPriceOffer({ blocks }: FeeHistory, tip: bigint): FeeOffer {
  const price = blocks.at(-1)!.baseFeePerGas + tip
  return { maxPriorityFeePerGas: price, maxFeePerGas: price }
}

function peer(name: string, offer: (history: FeeHistory, level: FeeLevel) => FeeOffer): FeeStrategy {
  return {
    name,
    promises: undefined,
    window: nodeTipWindow,
    percentiles,
    offers(history): Readonly<Record<FeeLevel, FeeOffer>> {
      return { low: offer(history, 'low'), medium: offer(history, 'medium'), high: offer(history, 'high') }
    },
  }
}
