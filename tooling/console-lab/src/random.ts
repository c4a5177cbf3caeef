/** Makes numbers from 0 to 1, the same ones for each seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Picks one by its weight. */
export function pick<T>(random: () => number, of: readonly (readonly [weight: number, value: T])[]): T {
  let left = random() * of.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, value] of of) if ((left -= weight) <= 0) return value
  return of.at(-1)![1]
}
