import { heightOf, type Voter } from './cluster.ts'

/** Blocks past the tolerated lag by which a head may jump at once, and the times of the measured pace at which one may advance. */
const slackBlocks = 4
const mostSpeed = 2
/** The least time between two looks at one upstream, in ms. */
const soonestLookMs = 250
/** The pace of a chain that nobody has measured yet, in ms a block: few are faster. */
const fastestMs = 50

/** The most blocks beyond the tolerated lag that a chain makes in a time. */
export function reachIn(ms: number, blockTimeMs: number): number {
  return slackBlocks + Math.ceil((mostSpeed * ms) / blockTimeMs)
}

/** The most blocks beyond the tolerated lag from one look at an upstream to the next, `ms` later or more. */
export function stepOf(blockTimeMs: number, ms = 0): number {
  return reachIn(Math.max(soonestLookMs, blockTimeMs, ms), blockTimeMs)
}

/**
 * Whether a head is so far above another one, whose block is of a moment ago by its timestamp, that the chain cannot have both. `date`: ms of
 * Unix time.
 */
export function isImpossibleBeside(voter: Voter, other: Voter, date: number, lag: number): boolean {
  const { number, timestamp } = other.blocks.head!
  if (timestamp === undefined) return false
  return heightOf(voter) > number + lag + reachIn(Math.max(0, date - timestamp * 1_000), fastestMs)
}
