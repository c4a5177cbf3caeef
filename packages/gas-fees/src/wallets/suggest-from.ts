import { createChainReader } from '../source/chain-reader.ts'
import { suggestOnce } from '../source/suggest-once.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeLevel, FeeStrategy } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/** Calls a node: `provider.request` of EIP-1193, `client.request` of viem. */
export type RequestFunction = (call: { readonly method: string; readonly params: unknown[] }) => Promise<unknown>

export interface SuggestFromOptions {
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  /** For the waits. Default: it is measured, by one more call. */
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
 * A suggestion from a wallet's own node, in two or three calls; more where the node gives few blocks at a time.
 * @throws GasFeesError `unsupported` without EIP-1559 or `eth_feeHistory`, `invalid_response`; what `request` rejects with
 */
export function suggestFrom(
  request: RequestFunction,
  { strategy = wayleave, blockTimeMs }: SuggestFromOptions = {},
): Promise<SuggestedGasFees> {
  return suggestOnce(
    createChainReader((method, params) => request({ method, params })),
    { strategy, blockTimeMs },
  )
}

/** {@link suggestFrom} for those who need no waits: they spare the call that measures the block time. */
export function suggestFeesFrom(request: RequestFunction): Promise<SuggestedGasFees> {
  return suggestFrom(request, { blockTimeMs: 12_000 })
}
