import { type Clock, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { askHandler, createChainReader } from '../source/chain-reader.ts'
import { suggestOnce } from '../source/suggest-once.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeStrategy } from '../strategy.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

export interface LocalSuggestionsOptions {
  /** Calls a node of the network. */
  readonly handler: RpcHandler
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  readonly signal?: AbortSignal | undefined
  /** How long each call may take, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
}

/**
 * Suggests like {@link suggestFrom}, from a handler, with a deadline and a signal; the block time is measured.
 * @throws GasFeesError `unsupported` without EIP-1559, `invalid_response`; RpcError if the node does not answer.
 */
export function localSuggestions(options: LocalSuggestionsOptions): Promise<SuggestedGasFees> {
  const { handler, strategy = wayleave, signal, timeoutMs = 10_000, clock = systemClock } = options
  return suggestOnce(createChainReader(askHandler(handler, clock, timeoutMs)), { strategy, signal })
}
