import { haveTips } from '../rewards.ts'
import type { FeeStrategy } from '../strategy.ts'
import type { ChainReader } from './chain-reader.ts'
import type { ChainWindow } from './chain-window.ts'
import { nodeErrorKindOf } from './node-error-of.ts'

export interface TipFloorOptions {
  readonly reader: ChainReader
  /** Reads a monotonic time, in ms. */
  readonly now: () => number
  readonly strategy: FeeStrategy
}

/** Adds the node's own tip to a window in which nobody tipped, or of fewer blocks than the strategy asks for. Rejects only once the signal has aborted. */
export type TipFloor = (window: ChainWindow, signal: AbortSignal | undefined) => Promise<ChainWindow>

/** Chains without tips have fast blocks, so their nodes are asked this often at most, in ms. */
const askEveryMs = 60_000

/** Creates a floor that asks its node once a minute at most; after a failure, with the next window. */
export function createTipFloor({ reader, strategy, now: read }: TipFloorOptions): TipFloor {
  let tip: bigint | undefined
  let askedAt: number | undefined

  async function ask(signal: AbortSignal | undefined): Promise<void> {
    const now = read()
    if (askedAt !== undefined && now - askedAt < askEveryMs) return
    try {
      tip = await reader.priorityFee(signal)
      askedAt = now
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown
      if (nodeErrorKindOf(thrown) === 'method_not_found') askedAt = now
    }
  }

  return async (window, signal) => {
    const blocks = window.blocks.slice(-strategy.window)
    const known = blocks.filter(({ rewards }) => rewards !== undefined).length
    if (known >= (strategy.fewestBlocks ?? 0) && haveTips(blocks)) return window
    await ask(signal)
    return tip === undefined ? window : { ...window, nodePriorityFeePerGas: tip }
  }
}
