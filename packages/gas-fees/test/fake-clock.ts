import type { Clock } from '@wayleave/jsonrpc-core'

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #now = 1_000
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>()

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
