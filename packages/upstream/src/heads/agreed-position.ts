import type { KnownBlocks } from './known-blocks.ts'
import type { Position } from './position.ts'

/** How far down an agreement is looked for, in blocks. */
const deepest = 128

/**
 * Finds the highest block at or below `highest`, and above `lowest`, that one of the chains tells and at least `atLeast` of the
 * witnesses; where chains differ, the one that most witnesses tell. A height at which no block was made is passed over.
 */
export function agreedPosition(
  chains: readonly KnownBlocks[],
  witnesses: readonly KnownBlocks[],
  highest: number,
  lowest: number,
  atLeast: number,
): Position | undefined {
  const end = Math.max(lowest, highest - deepest, -1)
  for (let number = highest; number > end; number--) {
    let best: Position | undefined
    let most = atLeast - 1
    for (const chain of chains) {
      const hash = chain.hashAt(number)
      if (hash === undefined) continue
      const reporters = reportersOf(hash, number, witnesses)
      const below = reportersOf(hash, number - 1, witnesses)
      // More of them have it further down: no block was made here. A parent that was not told itself is taken to be right below.
      if (below > reporters || (below === reporters && chain.head!.number !== number)) continue
      if (reporters <= most) continue
      most = reporters
      best = { number, hash }
    }
    if (best !== undefined) return best
  }
  return undefined
}

/** Counts the witnesses that have a hash at a height. */
function reportersOf(hash: string, number: number, witnesses: readonly KnownBlocks[]): number {
  return witnesses.reduce((sum, witness) => sum + Number(witness.hashAt(number) === hash), 0)
}
