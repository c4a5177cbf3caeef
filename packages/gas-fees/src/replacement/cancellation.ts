import { GasFeesError } from '../error.ts'
import type { FeeQuantity } from '../wallets/fill-fees.ts'
import { type PendingFees, replacementFees, type ReplacementFees, type ReplacementMarket } from './replacement-fees.ts'

/** A transaction that waits, as far as a cancellation needs it. */
export interface PendingTransaction extends PendingFees {
  readonly from: string
  readonly nonce: FeeQuantity
}

/** A transfer of nothing to oneself; its gas is for the wallet to estimate. */
export type Cancellation = ReplacementFees & {
  readonly from: string
  readonly to: string
  readonly nonce: bigint
  readonly value: 0n
  readonly data: '0x'
}

/**
 * Makes the transaction that takes the place of another one and does nothing, with the fees of {@link replacementFees}.
 * @throws GasFeesError `unsupported` for a blob transaction, which only one with blobs replaces; `malformed` for one without fees.
 */
export function cancellationOf(pending: PendingTransaction, market: ReplacementMarket = {}): Cancellation {
  const { from, nonce, maxFeePerBlobGas } = pending
  if (maxFeePerBlobGas != null) {
    throw new GasFeesError('unsupported', 'a blob transaction is replaced only by one with blobs: use replacementFees')
  }
  return { from, to: from, nonce: BigInt(nonce), value: 0n, data: '0x', ...replacementFees(pending, market) }
}
