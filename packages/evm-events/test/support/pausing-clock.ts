import { FakeClock } from '@wayleave/jsonrpc-core/testing'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A clock of a process that can be stopped as a whole: timers that fall due meanwhile run late, once it goes on. */
export class PausingClock extends FakeClock {
  #now = 1_000
  readonly #timers = new Set<Timer>()

  override get timers(): number {
    return this.#timers.size
  }

  override now(): number {
    return this.#now
  }

  override after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  override advance(ms: number): void {
    const end = this.#now + ms
    for (let due = this.#firstBy(end); due !== undefined; due = this.#firstBy(end)) {
      this.#timers.delete(due)
      this.#now = Math.max(this.#now, due.at)
      due.run()
    }
    this.#now = end
  }

  /** Stops the process for `ms`. */
  pause(ms: number): void {
    this.#now += ms
    this.advance(0)
  }

  #firstBy(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
  }
}
