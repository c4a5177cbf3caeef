/** Runs works in the order in which they come, at most `most` at a time; a function is asked whenever one could begin. */
export function createTurns(most: number | (() => number)): <T>(work: () => Promise<T>) => Promise<T> {
  const mostNow = typeof most === 'number' ? () => most : most
  let running = 0
  const waiting: (() => void)[] = []
  const serve = (): void => {
    while (running < mostNow()) {
      const next = waiting.shift()
      if (next === undefined) return
      running++
      next()
    }
  }
  return async (work) => {
    if (waiting.length === 0 && running < mostNow()) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      running--
      serve()
    }
  }
}
