/** Blocks past the tolerated lag by which a head may jump at once, and the times of the measured pace at which one may advance. */
const slackBlocks = 4
const mostSpeed = 2
/** The least time between two looks at one upstream, in ms. */
const soonestLookMs = 250

/** The most blocks beyond the tolerated lag that a chain makes in a time. */
export function reachIn(ms: number, blockTimeMs: number): number {
  return slackBlocks + Math.ceil((mostSpeed * ms) / blockTimeMs)
}

/** The most blocks beyond the tolerated lag from one look at an upstream to the next, `ms` later or more. */
export function stepOf(blockTimeMs: number, ms = 0): number {
  return reachIn(Math.max(soonestLookMs, blockTimeMs, ms), blockTimeMs)
}
