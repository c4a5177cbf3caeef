/** A source of time, passed as a parameter so that tests control it. */
export interface Clock {
  /** Monotonic milliseconds; only differences mean anything. */
  now(): number
  /** Wall-clock milliseconds since the Unix epoch. */
  date(): number
  /** Runs `run` once after `ms` milliseconds unless the returned function is called first. */
  after(ms: number, run: () => void): () => void
}
