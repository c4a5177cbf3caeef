/** Fewest keys that are set before those that are left move to a new `Map`. */
const fewest = 256

/**
 * A map of entries that stay for moments, such as calls in flight.
 *
 * V8's `Map` leaves each table that it has outgrown, with the entries of that time, and has it point to the next one. Once one of them is old, all
 * that follow live until everything is collected, and with them whatever they held. So a `Map` serves here for a number of entries only, and is left
 * before it grows old.
 */
export class BriefMap<K, V> {
  #entries = new Map<K, V>()
  /** Keys that may be set before a new `Map` is made. */
  #left = fewest

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)
  }

  set(key: K, value: V): void {
    if (this.#left === 0) {
      this.#entries = new Map(this.#entries)
      // What is moved costs less than what was set since.
      this.#left = Math.max(fewest, this.#entries.size)
    }
    this.#left--
    this.#entries.set(key, value)
  }

  delete(key: K): boolean {
    return this.#entries.delete(key)
  }
}
