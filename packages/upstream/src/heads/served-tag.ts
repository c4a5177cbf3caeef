import { agreedPosition } from './agreed-position.ts'
import type { KnownBlocks } from './known-blocks.ts'
import type { Position } from './position.ts'

/** The rule of the block that is served as safe or finalized. */
export interface ServedTag {
  readonly at: Position | undefined
  /** Looks at the blocks that good upstreams tell under the tag. `head`: the served head; `now` in ms. */
  judge(reported: readonly KnownBlocks[], head: Position, now: number): void
}

/** Time without progress after which a block needs no second witness, in ms. */
const patienceMs = 60_000

/**
 * Creates the rule: the highest block that a majority has reached, with two witnesses of its hash where three tell one. It is never
 * above the served head, and goes back only if that head falls below it.
 */
export function createServedTag(): ServedTag {
  let at: Position | undefined
  /** The time since which a higher block waits for its witness. */
  let waitingSince: number | undefined

  return {
    get at() {
      return at
    },
    judge(reported, head, now) {
      if (at !== undefined && at.number > head.number) at = undefined
      const heights = reported.map((chain) => chain.head!.number).toSorted((a, b) => b - a)
      const highest = heights[Math.floor(heights.length / 2)] ?? -1
      const current = at?.number ?? -1
      if (highest <= current || highest > head.number) return
      waitingSince ??= now
      const isPatient = now - waitingSince < patienceMs
      const next = agreedPosition(reported, reported, highest, current, reported.length >= 3 && isPatient ? 2 : 1)
      if (next === undefined) return
      at = next
      waitingSince = undefined
    },
  }
}
