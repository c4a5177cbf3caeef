/** A table of states by key that never holds more than `maxKeys`. */
export interface BoundedTable<T> {
  /** Entries that are held. */
  readonly size: number
  /** Returns the entry of a key, made if it is missing. Where the table is full, another entry is forgotten for it. */
  get(key: string): T
}

export interface BoundedTableOptions<T> {
  /** At least 1. */
  readonly maxKeys: number
  readonly create: (key: string) => T
  /** Weighs how much would be lost with an entry; 0: nothing, since a fresh one would be the same. */
  readonly weightOf: (entry: T) => number
  /** Called when an entry with a weight was forgotten. */
  readonly onForgotten?: (() => void) | undefined
}

/** Entries that are looked at for each new one; at least two, so that idle ones go faster than new ones come. */
const sweep = 4

/**
 * Makes a table that sheds idle entries as new ones come: constant work for each call, no timer. Where all are in use, the lightest of those
 * that are looked at goes, so that a new key always begins with an entry of its own.
 */
export function createBoundedTable<T>(options: BoundedTableOptions<T>): BoundedTable<T> {
  const { maxKeys, create, weightOf, onForgotten } = options
  const entries = new Map<string, T>()
  let cursor = entries.entries()

  function shed(): void {
    let lightest: string | undefined
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < sweep && entries.size > 0; i++) {
      let next = cursor.next()
      if (next.done === true) next = (cursor = entries.entries()).next()
      const [key, entry] = next.value!
      const weight = weightOf(entry)
      if (weight === 0) entries.delete(key)
      else if (weight < least) {
        lightest = key
        least = weight
      }
    }
    if (entries.size < maxKeys || lightest === undefined) return
    entries.delete(lightest)
    onForgotten?.()
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const found = entries.get(key)
      if (found !== undefined) return found
      shed()
      const made = create(key)
      entries.set(key, made)
      return made
    },
  }
}
