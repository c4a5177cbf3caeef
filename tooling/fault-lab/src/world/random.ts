/** A source of numbers from 0 up to 1. */
export type Random = () => number

/** Returns the same numbers for the same seed (mulberry32). */
function seeded(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the numbers of one purpose of a seed, which stay the same whatever else is drawn. */
export function streamOf(seed: number, purpose: string): Random {
  let hash = 0x811c9dc5 ^ seed
  for (let i = 0; i < purpose.length; i++) hash = Math.imul(hash ^ purpose.charCodeAt(i), 0x01000193)
  return seeded(hash)
}
