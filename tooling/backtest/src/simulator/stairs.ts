import type { Random } from './random.ts'

/** How tips climb by stairs and come down again. Each pair is a least and a most. */
export interface Stairs {
  /** Blocks that stand still before each climb. */
  readonly calm: readonly [least: number, most: number]
  /** Steps of a climb. */
  readonly steps: readonly [least: number, most: number]
  /** Blocks of a step. */
  readonly plateau: readonly [least: number, most: number]
  /** The factor of a step, upwards or downwards. */
  readonly factor: readonly [least: number, most: number]
  /** Blocks at the top. */
  readonly top: readonly [least: number, most: number]
}

/** Makes the factor of all tips, block after block: calm, a climb, its top, and one step down a block. */
export function createStairs(stairs: Stairs, random: Random): () => number {
  const { calm, steps, plateau, factor: range, top } = stairs
  const drawStep = (): number => range[0] + random.next() * (range[1] - range[0])
  let factor = 1
  let phase: 'calm' | 'climb' | 'top' | 'fall' = 'calm'
  let left = random.between(...calm)
  let stepsLeft = 0

  function advance(): void {
    if (phase === 'calm' || (phase === 'climb' && stepsLeft > 0)) {
      stepsLeft = phase === 'calm' ? random.between(...steps) - 1 : stepsLeft - 1
      phase = 'climb'
      factor *= drawStep()
      left = random.between(...plateau)
    } else if (phase === 'climb') {
      phase = 'top'
      left = random.between(...top)
    } else {
      phase = 'fall'
      factor = Math.max(1, factor / drawStep())
      left = 1
      if (factor > 1) return
      phase = 'calm'
      left = random.between(...calm)
    }
  }

  return () => {
    if (left === 0) advance()
    left -= 1
    return factor
  }
}
