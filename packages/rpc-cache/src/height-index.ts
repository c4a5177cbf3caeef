import type { StoredAnswer } from './stored-answer.ts'

/** The height of answers that any reorg drops. */
const unknown = Number.POSITIVE_INFINITY

/** The answers of a partition that a reorg may drop, by their heights: a list for each, threaded through the answers. */
export class HeightIndex {
  readonly #first = new Map<number, StoredAnswer>()
  #highest = -1
  /** Answers at or below are final; their lists are gone. */
  finalized = -1

  add(entry: StoredAnswer): void {
    const { isFinal, height = unknown } = entry
    if (isFinal || height <= this.finalized) return
    const next = this.#first.get(height)
    entry.nextOfHeight = next
    if (next !== undefined) next.previousOfHeight = entry
    this.#first.set(height, entry)
    if (height !== unknown && height > this.#highest) this.#highest = height
  }

  remove(entry: StoredAnswer): void {
    const { previousOfHeight: previous, nextOfHeight: next, height = unknown } = entry
    if (next !== undefined) next.previousOfHeight = previous
    if (previous !== undefined) previous.nextOfHeight = next
    else if (this.#first.get(height) === entry) {
      if (next === undefined) this.#first.delete(height)
      else this.#first.set(height, next)
    }
  }

  finalize(height: number): void {
    if (height <= this.finalized) return
    for (const passed of this.#between(this.finalized, Math.min(height, this.#highest))) this.#first.delete(passed)
    this.finalized = height
  }

  /** Returns the answers above a height, and those of unknown height. */
  above(height: number): readonly StoredAnswer[] {
    const found: StoredAnswer[] = []
    for (const passed of [...this.#between(height, this.#highest), unknown]) {
      for (let entry = this.#first.get(passed); entry !== undefined; entry = entry.nextOfHeight) found.push(entry)
    }
    this.#highest = Math.min(this.#highest, height)
    return found
  }

  /** Returns the heights above `low`, up to `high`, that have a list: by looking at whichever are fewer, these heights or all lists. */
  #between(low: number, high: number): number[] {
    if (high - low > this.#first.size) return [...this.#first.keys()].filter((height) => height > low && height <= high)
    const heights: number[] = []
    for (let height = low + 1; height <= high; height++) if (this.#first.has(height)) heights.push(height)
    return heights
  }
}
