import type { Clock } from '../clock.ts'

/** The steps of a source, and undefined in between: once in `ms` milliseconds. */
export async function* withTicks<T>(
  source: AsyncGenerator<T, void, undefined>,
  clock: Clock,
  ms: number,
): AsyncGenerator<T | undefined, void, undefined> {
  let stop = (): void => {}
  const nextTick = (): Promise<undefined> =>
    new Promise((resolve) => {
      stop = clock.after(ms, () => resolve(undefined))
    })
  let tick = nextTick()
  let step = source.next()
  try {
    for (;;) {
      const first = await Promise.race([step, tick])
      if (first === undefined) {
        tick = nextTick()
        yield undefined
        continue
      }
      if (first.done === true) return
      yield first.value
      step = source.next()
    }
  } finally {
    stop()
    await source.return()
  }
}
