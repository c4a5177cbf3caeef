import type { Position } from '@wayleave/jsonrpc-core'
import type { CacheChain } from '@wayleave/rpc-cache'

const hashOf = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`
const positionAt = (height: number): Required<Position> => ({ height, hash: hashOf(height) })

const firstHeight = 1_000_000
const finalityBlocks = 64

/** A chain that grows when it is told to, as processes of one deployment see it: all alike. */
export function createChain(blockTimeMs: number) {
  let height = firstHeight
  const chain: CacheChain = {
    get head() {
      return positionAt(height)
    },
    get finalized() {
      return positionAt(height - finalityBlocks)
    },
    blockTimeMs,
    onReorg: () => () => {},
    has: (block) => block.height <= height && block.hash === hashOf(block.height),
  }
  return { chain, grow: () => void height++ }
}
