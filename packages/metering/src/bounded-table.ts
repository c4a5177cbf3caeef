/** A table of states by key that never holds more than `maxKeys`. */
export interface BoundedTable<T> {
  /** Entries that are held. */
  readonly size: number
  /** Returns the entry of a key, made if it is missing. Where no entry can go, all further keys share one. */
  get(key: string): T
}

export interface BoundedTableOptions<T> {
  readonly maxKeys: number
  readonly create: (key: string) => T
  /** Whether an entry holds nothing that a fresh one would not. */
  readonly isIdle: (entry: T) => boolean
}

/** Entries that are looked at for each new one; at least two, so that idle ones go faster than new ones come. */
const sweep = 4

/** Makes a table that sheds idle entries as new ones come: constant work for each call, no timer. */
export function createBoundedTable<T>({ maxKeys, create, isIdle }: BoundedTableOptions<T>): BoundedTable<T> {
  const entries = new Map<string, T>()
  let overflow: T | undefined
  let cursor = entries.entries()

  function shed(): void {
    for (let i = 0; i < sweep; i++) {
      const next = cursor.next()
      if (next.done === true) {
        cursor = entries.entries()
        return
      }
      if (isIdle(next.value[1])) entries.delete(next.value[0])
    }
  }

  return {
    get size() {
      return entries.size
    },
    get(key) {
      const found = entries.get(key)
      if (found !== undefined) return found
      shed()
      if (entries.size >= maxKeys) return (overflow ??= create(''))
      const made = create(key)
      entries.set(key, made)
      return made
    },
  }
}
