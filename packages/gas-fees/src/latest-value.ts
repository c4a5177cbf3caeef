/** A queue of one for slow readers: a later value replaces one that still waits. */
export interface LatestValue<T> {
  put(value: T): void
  /** Resolves with the latest value once there is one; with undefined after `end`, or when `wake` is called. */
  take(): Promise<T | undefined>
  /** Resolves the waiting reads without a value. */
  wake(): void
  /** Ends it for good: no value is taken any more. */
  end(): void
  readonly ended: boolean
}

export function createLatestValue<T>(): LatestValue<T> {
  let waiting: { readonly value: T } | undefined
  let readers: ((value: T | undefined) => void)[] = []
  let ended = false

  function wake(): void {
    for (const resume of readers) resume(undefined)
    readers = []
  }

  return {
    put(value) {
      if (ended) return
      const resume = readers.shift()
      if (resume === undefined) waiting = { value }
      else resume(value)
    },
    take() {
      const held = waiting
      waiting = undefined
      if (ended || held !== undefined) return Promise.resolve(ended ? undefined : held!.value)
      return new Promise((resolve) => readers.push(resolve))
    },
    wake,
    end() {
      ended = true
      waiting = undefined
      wake()
    },
    get ended() {
      return ended
    },
  }
}
