import type { Clock } from '@wayleave/jsonrpc-core'

/** A clock for very many timers: it goes from one to the next, and waits for no real time. */
export class SimulatedClock implements Clock {
  #now = 1_000
  #events = 0
  readonly #heap: { at: number; nth: number; run: (() => void) | undefined }[] = []

  now(): number {
    return this.#now
  }

  date(): number {
    return 1_700_000_000_000 + this.#now
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, nth: this.#events++, run: run as (() => void) | undefined }
    const heap = this.#heap
    let at = heap.push(timer) - 1
    for (; at > 0; at = (at - 1) >> 1) {
      const parent = heap[(at - 1) >> 1]!
      if (parent.at < timer.at || (parent.at === timer.at && parent.nth < timer.nth)) break
      heap[at] = parent
    }
    heap[at] = timer
    return () => {
      timer.run = undefined
    }
  }

  /** Runs timers until there are none, or until `ms`. */
  runUntil(ms: number): void {
    while (this.runNext(ms));
    this.#now = ms
  }

  /** Runs the next timer, if it is due by `ms`; false where there is none. */
  runNext(ms: number): boolean {
    const heap = this.#heap
    const [due] = heap
    if (due === undefined || due.at > ms) return false
    const last = heap.pop()!
    if (heap.length > 0) this.#sink(last)
    this.#now = due.at
    due.run?.()
    return true
  }

  #sink(timer: { at: number; nth: number; run: (() => void) | undefined }): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      const [left, right] = [heap[child]!, heap[child + 1]]
      if (right !== undefined && (right.at < left.at || (right.at === left.at && right.nth < left.nth))) child++
      const it = heap[child]!
      if (it.at > timer.at || (it.at === timer.at && it.nth > timer.nth)) break
      heap[at] = it
      at = child
    }
    heap[at] = timer
  }
}
