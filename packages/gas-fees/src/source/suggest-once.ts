import type { FeeStrategy } from '../strategy.ts'
import { suggestGasFees } from '../suggest-gas-fees.ts'
import type { SuggestedGasFees } from '../suggestion.ts'
import type { ChainReader } from './chain-reader.ts'
import { blockTimeOf, requireBaseFee, windowUpTo, withBlockTime } from './chain-window.ts'
import { createTipFloor } from './tip-floor.ts'

export interface SuggestOnceOptions {
  readonly strategy: FeeStrategy
  /** In ms. Undefined: measured, by one more call. */
  readonly blockTimeMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes one suggestion straight from a node, by its head and the fees of the strategy's window.
 * @throws GasFeesError `unsupported` without EIP-1559 or `eth_feeHistory`, `invalid_response`; whatever the reader rejects with.
 */
export async function suggestOnce(
  reader: ChainReader,
  { strategy, blockTimeMs, signal }: SuggestOnceOptions,
): Promise<SuggestedGasFees> {
  const head = await reader.newest(signal)
  // For chains without base fees, nodes report base fees of 0.
  requireBaseFee(head)
  const { percentiles, window: limit } = strategy
  const window = await windowUpTo(head, undefined, { reader, limit, percentiles, signal })
  const withFloor = createTipFloor({ reader, strategy, now: () => 0 })
  const { blocks, nextBaseFeePerGas, nodePriorityFeePerGas } = await withFloor(window, signal)
  const measured = blockTimeMs ?? blockTimeOf(await withBlockTime(window, reader, signal))
  const history = { percentiles, blocks, nextBaseFeePerGas, nodePriorityFeePerGas, blockTimeMs: measured }
  return suggestGasFees(history, { strategy })
}
