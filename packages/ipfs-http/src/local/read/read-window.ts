/** How much a reader may hold that nobody has taken yet. */
export interface ReadWindow {
  /** Whether another block of about `cost` bytes may be asked for. One always may. */
  hasRoom(cost: number): boolean
  /** A block was asked for. */
  asked(cost: number): void
  /** A block was taken; `wasReady`: it had come by then. */
  taken(cost: number, wasReady: boolean): void
}

const least = 256 * 1024
const mostBytes = 4 * 2 ** 20
const mostBlocks = 8

/**
 * Grows while its reader has to wait for blocks, and shrinks while blocks wait for the reader: who reads slowly costs
 * a block, who reads fast at most 4 MiB or 8 blocks.
 */
export function createReadWindow(): ReadWindow {
  let limit = least
  let bytes = 0
  let blocks = 0
  return {
    hasRoom: (cost) => blocks === 0 || (blocks < mostBlocks && bytes + cost <= limit),
    asked(cost) {
      bytes += cost
      blocks++
    },
    taken(cost, wasReady) {
      bytes -= cost
      blocks--
      limit = wasReady ? Math.max(least, limit - limit / 8) : Math.min(mostBytes, limit * 2)
    },
  }
}
