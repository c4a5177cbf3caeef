import type { BlobFeeOffer } from '../blobs/suggest-blob-fee.ts'
import { GasFeesError } from '../error.ts'
import { weiFromGwei } from '../gwei.ts'
import { type FeeFields, type FeeQuantity, offerOf } from '../wallets/fill-fees.ts'
import type { FeeLevel } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/** The fees of a transaction that waits: those that its sender named, or those that `eth_getTransactionByHash` shows. */
export interface PendingFees extends Omit<FeeFields, 'type'> {
  readonly maxFeePerBlobGas?: FeeQuantity | null | undefined
}

/** The fees that the market asks for now; without them, the least that nodes take. */
export interface ReplacementMarket {
  readonly fees?: SuggestedGasFees | undefined
  /** Default `medium`. */
  readonly level?: FeeLevel | undefined
  readonly blobs?: BlobFeeOffer | undefined
}

/** The fees of the transaction that takes another one's place, of the same kind, in wei. */
export type ReplacementFees =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint; readonly maxFeePerBlobGas?: bigint }

/** By how many percent each fee must rise. */
const bump = 10n
const blobBump = 100n

/**
 * Computes the fees with which a transaction replaces one of the same sender and nonce: as much as the market asks for, and no less than
 * nodes take. That is 10 % more of both fees, and the double of all three of a blob transaction, rounded down, and 1 wei more at
 * least. One wei less is refused by geth, and by Erigon and Nethermind for fees of 10 wei or more. A replacement must have blobs if the
 * first one has some. Besu compares what would really be paid, so it may ask for a greater tip where the base fee is most of the price.
 * @throws GasFeesError `malformed` for a transaction without fees.
 */
export function replacementFees(pending: PendingFees, market: ReplacementMarket = {}): ReplacementFees {
  const { fees, level = 'medium', blobs } = market
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = pending
  const offer = fees && offerOf(fees, level)
  if (maxFeePerGas == null || maxPriorityFeePerGas == null) {
    if (gasPrice == null) {
      throw new GasFeesError(
        'malformed',
        'expected gasPrice, or maxFeePerGas and maxPriorityFeePerGas, of the transaction',
      )
    }
    const price = fees && offer && weiFromGwei(fees.estimatedBaseFee) + offer.maxPriorityFeePerGas
    return { gasPrice: raised(gasPrice, bump, price) }
  }
  const by = maxFeePerBlobGas == null ? bump : blobBump
  const tip = raised(maxPriorityFeePerGas, by, offer?.maxPriorityFeePerGas)
  const max = raised(maxFeePerGas, by, offer?.maxFeePerGas)
  return {
    // A tip that had to rise beyond the market's keeps the room that the market asks for.
    maxFeePerGas: greatest(max, offer === undefined ? tip : offer.maxFeePerGas - offer.maxPriorityFeePerGas + tip),
    maxPriorityFeePerGas: tip,
    ...(maxFeePerBlobGas == null ? {} : { maxFeePerBlobGas: raised(maxFeePerBlobGas, by, blobs?.maxFeePerBlobGas) }),
  }
}

function raised(fee: FeeQuantity, percent: bigint, market = 0n): bigint {
  const wei = BigInt(fee)
  return greatest(market, wei + 1n, (wei * (100n + percent)) / 100n)
}

function greatest(...fees: readonly bigint[]): bigint {
  return fees.reduce((a, b) => (a > b ? a : b))
}
