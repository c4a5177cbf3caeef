/** Draws the same numbers for the same seed. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number
  /** Whether something of this probability happens. */
  chance(probability: number): boolean
}

/** Creates the generator mulberry32. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    int: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
  }
}
