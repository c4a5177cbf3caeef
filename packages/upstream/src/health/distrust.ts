/** Remembers the false answers of an upstream. All times are ms on one clock. */
export interface Distrust {
  /** The time until which it is asked after all others. */
  readonly until: number
  /** Records an answer that was verified. */
  verified(): void
  /** Records a false answer to a call begun at `since`. */
  answeredFalsely(since: number, now: number): void
}

/** Distrust doubles at most so often. */
const maxDoublings = 6
/** After so many verified answers, earlier false ones count no more. */
const forgivenAfter = 16

/** Creates the trust in an upstream that has not lied; `ms`: the time that a first false answer costs. */
export function createDistrust(ms = 60_000): Distrust {
  let until = Number.NEGATIVE_INFINITY
  let lastAt = Number.NEGATIVE_INFINITY
  let falseAnswers = 0
  let verifiedAnswers = 0
  return {
    get until() {
      return until
    },
    verified() {
      if (falseAnswers > 0 && ++verifiedAnswers >= forgivenAfter) falseAnswers = 0
    },
    answeredFalsely(since, now) {
      // An attempt begun before the last one came out counts with it.
      if (since <= lastAt) return
      until = now + ms * 2 ** Math.min(falseAnswers, maxDoublings)
      lastAt = now
      falseAnswers++
      verifiedAnswers = 0
    },
  }
}
