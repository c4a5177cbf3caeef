/** The time from block to block, as measured. */
export interface Pace {
  /** The mean interval of late, in ms. */
  readonly blockTimeMs: number
  /** Takes in that a chain advanced by so many blocks in so many ms. */
  advanced(blocks: number, ms: number): void
}

/** The share of the past that an advance leaves. */
const memory = 7 / 8
/** An advance counts as so many blocks at most, and as so many times the interval so far: neither a long sleep nor a halt decides alone. */
const mostBlocks = 8
const mostTimes = 8
/** Bounds of the result, in ms. */
const shortest = 20
const longest = 60_000

/**
 * Measures a chain's pace: decaying sums of time and of blocks, whose ratio stays right where several blocks are seen at once.
 * `guess`: the interval until one is measured, in ms.
 */
export function createPace(guess: number): Pace {
  let time = guess
  let count = 1
  const pace = {
    blockTimeMs: guess,
    advanced(blocks: number, ms: number): void {
      if (blocks <= 0 || ms < 0) return
      const share = Math.min(1, mostBlocks / blocks)
      const most = pace.blockTimeMs * mostTimes * blocks
      time = time * memory + Math.min(ms, most) * share
      count = count * memory + blocks * share
      pace.blockTimeMs = Math.min(Math.max(time / count, shortest), longest)
    },
  }
  return pace
}
