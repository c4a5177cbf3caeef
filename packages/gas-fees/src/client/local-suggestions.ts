import { type Clock, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { createChainReader } from '../source/chain-reader.ts'
import { blockTimeOf, requireBaseFee, windowUpTo, withBlockTime } from '../source/chain-window.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeStrategy } from '../strategy.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import type { SuggestedGasFees } from '../suggestion.ts'

export interface LocalSuggestionsOptions {
  /** Asks a node of the network. */
  readonly handler: RpcHandler
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  readonly signal?: AbortSignal | undefined
  /** How long each call may take, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
}

/**
 * One suggestion straight from a node, for a wallet without this API: the head, the fees of the strategy's window, and an
 * earlier block to measure the block time by.
 * @throws GasFeesError `unsupported` without EIP-1559, `invalid_response`; RpcError where the node does not answer.
 */
export async function localSuggestions(options: LocalSuggestionsOptions): Promise<SuggestedGasFees> {
  const { handler, strategy = wayleave, signal, timeoutMs = 10_000, clock = systemClock } = options
  const reader = createChainReader(handler, clock, timeoutMs)
  const head = await reader.newest(signal)
  requireBaseFee(head)
  const { percentiles, window: limit } = strategy
  const reached = await windowUpTo(head, undefined, { reader, limit, percentiles, signal })
  const window = await withBlockTime(reached, reader, signal)
  const { blocks, nextBaseFeePerGas } = window
  return suggestGasFees({ percentiles, blocks, nextBaseFeePerGas, blockTimeMs: blockTimeOf(window) }, { strategy })
}
