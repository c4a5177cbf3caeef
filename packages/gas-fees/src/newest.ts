/** A queue of one for a reader at its own pace: what comes later replaces what still waits. */
export interface Newest<T> {
  put(value: T): void
  /** Resolves with the newest value once there is one; with undefined after `end`, and when `wake` is called. */
  take(): Promise<T | undefined>
  /** Lets the readers who wait go without a value. */
  wake(): void
  end(): void
  readonly ended: boolean
}

export function createNewest<T>(): Newest<T> {
  let waiting: { readonly value: T } | undefined
  let readers: ((value: T | undefined) => void)[] = []
  let ended = false

  function letGo(): void {
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
    wake: letGo,
    end() {
      ended = true
      waiting = undefined
      letGo()
    },
    get ended() {
      return ended
    },
  }
}
