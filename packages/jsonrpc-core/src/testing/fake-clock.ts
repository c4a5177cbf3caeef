import type { Clock } from '../clock.ts'

/**
 * A {@link Clock} for tests: it stands still until `advance` moves it. Its monotonic time begins at `start` ms, and its
 * date is always 1,700,000,000,000 ms ahead of that.
 */
export class FakeClock implements Clock {
  #now: number
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

  constructor(start = 1_000) {
    this.#now = start
  }

  /** Timers that have neither run nor been stopped. */
  get timers(): number {
    return this.#timers.size
  }

  now(): number {
    return this.#now
  }

  date(): number {
    return 1_700_000_000_000 + this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => {
      this.#timers.delete(timer)
    }
  }

  /** Moves time on by `ms`. Timers that fall due run in order, each at its own time; they may set further ones. */
  advance(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
    }
    this.#now = end
  }
}
