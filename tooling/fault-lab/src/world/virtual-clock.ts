import type { Clock } from '@wayleave/jsonrpc-core'

interface Timer {
  readonly at: number
  readonly nth: number
  run: (() => void) | undefined
}

/** Time at which the date of a run begins, in ms since 1970. */
const firstDate = 1_700_000_000_000

/** A clock that stands still until it is told to run: it goes from one timer to the next, those of one instant in the order they were set. */
export class VirtualClock implements Clock {
  #now = 0
  #count = 0
  #live = 0
  readonly #heap: Timer[] = []

  /** Timers that have neither run nor been stopped. */
  get timers(): number {
    return this.#live
  }

  now(): number {
    return this.#now
  }

  date(): number {
    return firstDate + this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + (ms > 0 ? ms : 0), nth: this.#count++, run }
    this.#live++
    this.#push(timer)
    return () => {
      if (timer.run === undefined) return
      timer.run = undefined
      this.#live--
    }
  }

  /**
   * Runs what falls due until `end`, each at its own time, and lets all that follows from one timer happen before the next one.
   * `isDone` ends it sooner.
   */
  async runUntil(end: number, isDone: () => boolean = () => false): Promise<void> {
    await drained()
    while (!isDone()) {
      const timer = this.#next(end)
      if (timer === undefined) break
      const { run } = timer
      timer.run = undefined
      this.#live--
      this.#now = timer.at
      run!()
      await drained()
    }
    if (!isDone()) this.#now = Math.max(this.#now, end)
  }

  #next(end: number): Timer | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined || first.at > end) return undefined
      this.#pop()
      if (first.run !== undefined) return first
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let at = heap.push(timer) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (isBefore(heap[parent]!, timer)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = timer
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (isBefore(last, heap[child]!)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.nth < b.nth)
}

/** Resolves when no promise has anything left to do. */
function drained(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
