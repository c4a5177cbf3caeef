import { type BlobFeeOffer, suggestBlobFee } from '../blobs/suggest-blob-fee.ts'
import { GasFeesError } from '../error.ts'
import { createChainReader } from '../source/chain-reader.ts'
import { suggestOnce } from '../source/suggest-once.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeLevel, FeeStrategy } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

/**
 * Calls a node, as providers of EIP-1193 and clients of viem do: `(call) => provider.request(call)`. For ethers,
 * `({ method, params }) => provider.send(method, params)`.
 */
export type RequestFunction = (call: { readonly method: string; readonly params: unknown[] }) => Promise<unknown>

export interface SuggestFromOptions {
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  /** For the waits, in ms. Default: measured, by one more call. */
  readonly blockTimeMs?: number | undefined
}

/** The level of the fees, and their source, for the wallet helpers. */
export interface WalletFeesOptions {
  /** Default `medium`. */
  readonly level?: FeeLevel | undefined
  /** Default: {@link suggestFrom} the wallet's own node. Another is `suggested` of a client of the gas API. */
  readonly suggest?: (() => Promise<SuggestedGasFees>) | undefined
}

/**
 * Suggests fees from a wallet's own node, in two or three calls; in more if the node gives few blocks at a time.
 * `suggestFrom((call) => provider.request(call))`.
 * @throws GasFeesError `malformed` if `request` is no function, `unsupported` without EIP-1559 or `eth_feeHistory`, `invalid_response`; whatever `request` rejects with.
 */
export function suggestFrom(
  request: RequestFunction,
  { strategy = wayleave, blockTimeMs }: SuggestFromOptions = {},
): Promise<SuggestedGasFees> {
  if (typeof request !== 'function') {
    const shape = 'a function that takes { method, params }, such as (call) => provider.request(call)'
    return Promise.reject(
      new GasFeesError('malformed', `expected ${shape}, got ${request === null ? 'null' : typeof request}`),
    )
  }
  return suggestOnce(
    createChainReader((method, params) => request({ method, params })),
    { strategy, blockTimeMs },
  )
}

/** Suggests like {@link suggestFrom}, without the call that measures the block time: for callers that need no waits. */
export function suggestFeesFrom(request: RequestFunction): Promise<SuggestedGasFees> {
  return suggestFrom(request, { blockTimeMs: 12_000 })
}

/**
 * Suggests a blob fee from a wallet's own node, in one call.
 * @throws GasFeesError `unsupported` on a chain without blobs, `invalid_response`; whatever `request` rejects with.
 */
export async function suggestBlobFeeFrom(request: RequestFunction): Promise<BlobFeeOffer> {
  return suggestBlobFee(await request({ method: 'eth_feeHistory', params: ['0x1', 'latest', []] }))
}
