/** Bounds extra calls to a part of the calls: a bucket into which every call puts that part of a token. */
export interface CallBudget {
  /** Counts a call. */
  counted(): void
  /** Takes a token for an extra call; false where there is none. */
  take(): boolean
}

/** Creates a full bucket. `share`: extra calls for each call; `burst`: most tokens. */
export function createCallBudget(share: number, burst: number): CallBudget {
  let tokens = burst
  return {
    counted() {
      tokens = Math.min(tokens + share, burst)
    },
    take() {
      if (tokens < 1) return false
      tokens--
      return true
    },
  }
}
