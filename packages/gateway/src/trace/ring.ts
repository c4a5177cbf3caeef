/** The last entries, within a bound of their number and of their bytes. */
export interface Ring<T> {
  readonly bytes: number
  /** Adds an entry of so many bytes; the oldest ones go. */
  push(entry: T, bytes: number): void
  newestFirst(): readonly T[]
}

/** Creates a {@link Ring}. One entry is kept, however long it is. */
export function createRing<T>(mostEntries: number, mostBytes: number): Ring<T> {
  const entries: ({ readonly entry: T; readonly bytes: number } | undefined)[] = []
  let [oldest, size, bytes] = [0, 0, 0]

  function drop(): void {
    bytes -= entries[oldest]!.bytes
    entries[oldest] = undefined
    oldest = (oldest + 1) % mostEntries
    size--
  }

  return {
    get bytes() {
      return bytes
    },
    push(entry, length) {
      if (size === mostEntries) drop()
      entries[(oldest + size) % mostEntries] = { entry, bytes: length }
      size++
      bytes += length
      while (bytes > mostBytes && size > 1) drop()
    },
    newestFirst: () => Array.from({ length: size }, (_, i) => entries[(oldest + size - 1 - i) % mostEntries]!.entry),
  }
}
