/** Runs works, at most `most` at a time and in the order in which they come. Each is given a slot that no other has now. */
export function createTurns(most: number): <T>(work: (slot: number) => Promise<T>) => Promise<T> {
  const free = Array.from({ length: most }, (_, slot) => slot)
  const waiting: ((slot: number) => void)[] = []
  return async (work) => {
    const slot = free.pop() ?? (await new Promise<number>((resolve) => waiting.push(resolve)))
    try {
      return await work(slot)
    } finally {
      const next = waiting.shift()
      if (next === undefined) free.push(slot)
      else next(slot)
    }
  }
}
