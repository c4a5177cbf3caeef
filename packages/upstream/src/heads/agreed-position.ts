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
      if (hash === undefined || isEmpty(number, hash, witnesses)) continue
      const tellers = witnesses.reduce((sum, witness) => sum + Number(witness.hashAt(number) === hash), 0)
      if (tellers <= most) continue
      most = tellers
      best = { number, hash }
    }
    if (best !== undefined) return best
  }
  return undefined
}

/** Whether a witness tells that the block with this hash is further down. */
function isEmpty(number: number, hash: string, witnesses: readonly KnownBlocks[]): boolean {
  return witnesses.some((witness) => witness.hashAt(number - 1) === hash)
}
