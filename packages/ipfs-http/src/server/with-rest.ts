/** Yields the steps of a source. If it is left early, the source is still read to its end, and `onRest` gets the other steps. */
export async function* withRest<T>(
  source: AsyncIterable<T>,
  onRest: (step: T) => void,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  let isOver = false
  async function next(): Promise<IteratorResult<T, unknown>> {
    try {
      const step = await iterator.next()
      isOver = step.done === true
      return step
    } catch (thrown) {
      isOver = true
      throw thrown
    }
  }
  try {
    for (;;) {
      const step = await next()
      if (step.done === true) return
      yield step.value
    }
  } finally {
    while (!isOver) {
      const step = await next().catch(() => undefined)
      if (step?.done === false) onRest(step.value)
    }
  }
}
