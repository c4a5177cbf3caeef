import type { NodeErrorKind } from '@wayleave/evm-types'
import { isRateLimit } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import type { FeeBlock } from '../fee-history.ts'
import type { ChainReader } from './chain-reader.ts'
import { nodeErrorKindOf, nodeErrorOf } from './node-error-of.ts'

export interface FetchedBlocks {
  /** Oldest first and consecutive, up to the newest asked for; fewer than asked if the node has no more. */
  readonly blocks: readonly FeeBlock[]
  readonly nextBaseFeePerGas: bigint
}

/** The most calls: a node that gives one block at a time fills no window. */
const mostCalls = 64

/**
 * Fetches the `count` blocks that end with `newest`, in as few calls as the node allows. A node may answer with fewer blocks
 * than it was asked for. If it refuses, half as many are asked for, and in the end all of them without rewards.
 * @throws GasFeesError; whatever the reader rejects with.
 */
export async function fetchBlocks(
  reader: ChainReader,
  newest: number,
  count: number,
  percentiles: readonly number[],
  signal?: AbortSignal,
): Promise<FetchedBlocks> {
  const wanted = Math.min(count, newest + 1)
  let blocks: readonly FeeBlock[] = []
  let nextBaseFeePerGas: bigint | undefined
  let size = wanted
  let asked = percentiles
  for (let calls = 0; calls < mostCalls && blocks.length < wanted; calls++) {
    const top = newest - blocks.length
    size = Math.min(size, wanted - blocks.length)
    try {
      const part = await reader.fees(size, top, asked, signal)
      if (part.blocks.at(-1)!.number !== top) {
        if (blocks.length > 0) break
        throw new GasFeesError('invalid_response', `expected fees up to block ${top}: the node is behind, or ahead`)
      }
      blocks = [...part.blocks.slice(-size), ...blocks]
      nextBaseFeePerGas ??= part.nextBaseFeePerGas
    } catch (thrown) {
      // The node may have dropped the fees of the oldest blocks.
      if (blocks.length > 0 && nodeErrorKindOf(thrown) === 'unknown_block') break
      if (!refuses(thrown)) throw thrown
      if (size > 1) size = Math.floor(size / 2)
      else if (blocks.length > 0) break
      else if (asked.length > 0 && nodeErrorKindOf(thrown) === 'invalid_params') {
        asked = []
        size = wanted
      } else throw thrown
    }
  }
  return { blocks, nextBaseFeePerGas: nextBaseFeePerGas! }
}

/** Errors that fewer blocks would not mend. */
const forEverySize = new Set<NodeErrorKind | undefined>([
  'unknown_block',
  'rate_limited',
  'quota_exceeded',
  'unauthorized',
])

/** Whether the node might answer a smaller question. */
export function refuses(thrown: unknown): boolean {
  const error = nodeErrorOf(thrown)
  if (error === undefined) return (thrown as { readonly code?: unknown } | undefined)?.code === 'too_large'
  // EIP-1193 uses these codes for refusals of the provider or its user.
  const isProviders = error.code >= 4_000 && error.code < 5_000
  return !isProviders && !isRateLimit(error) && !forEverySize.has(nodeErrorKindOf(thrown))
}
