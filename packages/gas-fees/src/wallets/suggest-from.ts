import { feeHistoryFromAnswer } from '../fee-history-from-answer.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeLevel, FeeStrategy } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/** Calls a node: `provider.request` of EIP-1193, `client.request` of viem. */
export type RequestFunction = (call: { readonly method: string; readonly params: unknown[] }) => Promise<unknown>

export interface SuggestFromOptions {
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  /** For the waits; default 12,000. */
  readonly blockTimeMs?: number | undefined
}

/** Where the wallet helpers take fees from, and which. */
export interface WalletFeesOptions {
  /** Default `medium`. */
  readonly level?: FeeLevel | undefined
  /** Default: {@link suggestFrom} the wallet's own node. A client of the gas API has one, too. */
  readonly suggest?: (() => Promise<SuggestedGasFees>) | undefined
}

/**
 * A suggestion from a wallet's own node, in one call.
 * @throws GasFeesError `unsupported` without EIP-1559, `invalid_response`; what `request` rejects with
 */
export async function suggestFrom(
  request: RequestFunction,
  { strategy = wayleave, blockTimeMs }: SuggestFromOptions = {},
): Promise<SuggestedGasFees> {
  const { percentiles, window } = strategy
  const params = [`0x${window.toString(16)}`, 'latest', percentiles]
  const answer = await request({ method: 'eth_feeHistory', params })
  return suggestGasFees(feeHistoryFromAnswer(answer, { percentiles, blockTimeMs }), { strategy })
}
