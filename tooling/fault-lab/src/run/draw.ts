import { streamOf } from '../world/random.ts'

/** Draws from the randomness of one purpose, so that no other purpose's draws shift when these change. */
export interface Draw {
  /** A whole number, both ends included. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  of<T>(choices: readonly T[]): T
  /** Each of `choices` with a probability, `atLeast` so many of them. Default: 0. */
  some<T>(choices: readonly T[], probability: number, atLeast?: number): readonly T[]
}

export function createDraw(seed: number, purpose: string): Draw {
  const random = streamOf(seed, purpose)
  const between = (from: number, to: number): number => from + Math.floor(random() * (Math.floor(to) - from + 1))
  const of = <T>(choices: readonly T[]): T => choices[between(0, choices.length - 1)]!
  return {
    between,
    chance: (probability) => random() < probability,
    of,
    some(choices, probability, atLeast = 0) {
      const chosen = choices.filter(() => random() < probability)
      while (chosen.length < atLeast) chosen.push(of(choices))
      return chosen
    },
  }
}
