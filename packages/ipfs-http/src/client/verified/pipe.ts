/** Hands values from one loop to another, one at a time. */
export interface Pipe<T> {
  readonly values: AsyncIterable<T>
  /** Hands over a value. Resolves when it was taken, or nobody reads any more. */
  write(value: T): Promise<void>
  /** Ends the pipe after the last value. */
  end(): void
  /** Gives the reader an error. Writers go on, and their values are dropped. */
  fail(thrown: Error): void
}

/** Makes a pipe for one writer and one reader. */
export function createPipe<T>(): Pipe<T> {
  let waiting: { readonly value: T; readonly taken: () => void } | undefined
  let closed: 'no' | 'ended' | 'left' = 'no'
  let failure: Error | undefined
  let wake = (): void => {}

  const leave = (): void => {
    closed = 'left'
    waiting?.taken()
    waiting = undefined
  }

  async function* read(): AsyncGenerator<T> {
    try {
      for (;;) {
        if (failure !== undefined) throw failure
        if (waiting !== undefined) {
          const { value, taken } = waiting
          waiting = undefined
          taken()
          yield value
        } else if (closed === 'ended') return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      leave()
    }
  }

  return {
    values: read(),
    write(value) {
      if (closed !== 'no' || failure !== undefined) return Promise.resolve()
      return new Promise((resolve) => {
        waiting = { value, taken: resolve }
        wake()
      })
    },
    end() {
      if (closed === 'no') closed = 'ended'
      wake()
    },
    fail(thrown) {
      failure ??= thrown
      waiting?.taken()
      waiting = undefined
      wake()
    },
  }
}
