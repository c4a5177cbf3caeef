/** Keys that were seen lately. */
export interface SeenKeys {
  /** Whether `key` was seen before; it is from now on. */
  see(key: string): boolean
}

/** Remembers the `most` keys that were seen last. */
export function createSeenKeys(most: number): SeenKeys {
  /** In the order in which they were seen. */
  const keys = new Set<string>()
  return {
    see(key) {
      const wasSeen = keys.delete(key)
      keys.add(key)
      const [oldest] = keys.size > most ? keys : []
      if (oldest !== undefined) keys.delete(oldest)
      return wasSeen
    },
  }
}
