import type { FeeStrategy } from '../strategy.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import type { ChainReader } from './chain-reader.ts'
import { blockTimeOf, requireBaseFee, windowUpTo, withBlockTime } from './chain-window.ts'

export interface SuggestOnceOptions {
  readonly strategy: FeeStrategy
  /** Undefined: it is measured, by one more call. */
  readonly blockTimeMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * One suggestion straight from a node: the head, and the fees of the strategy's window.
 * @throws GasFeesError `unsupported` without EIP-1559 or `eth_feeHistory`, `invalid_response`; what the reader rejects with
 */
export async function suggestOnce(
  reader: ChainReader,
  { strategy, blockTimeMs, signal }: SuggestOnceOptions,
): Promise<SuggestedGasFees> {
  const head = await reader.newest(signal)
  // Nodes tell base fees of 0 of chains that have none.
  requireBaseFee(head)
  const { percentiles, window: limit } = strategy
  const window = await windowUpTo(head, undefined, { reader, limit, percentiles, signal })
  const { blocks, nextBaseFeePerGas } = window
  const measured = blockTimeMs ?? blockTimeOf(await withBlockTime(window, reader, signal))
  return suggestGasFees({ percentiles, blocks, nextBaseFeePerGas, blockTimeMs: measured }, { strategy })
}
