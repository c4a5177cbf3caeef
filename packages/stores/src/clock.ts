/** Time, as the parts that wait take it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since the Unix epoch. */
  date(): number
  /** Calls `f` once, after `ms`; the function returned prevents it. */
  after(ms: number, f: () => void): () => void
}
