/** Hands events from the one who makes them to the one who tells them, several at once where several are there. */
export interface EventQueue<T> {
  /** Waits while many are untaken. Throws once the reader has failed it. */
  push(event: T): Promise<void>
  /** What there is, as soon as there is something; undefined: that was all. Then throws what the maker failed with. */
  take(): Promise<readonly T[] | undefined>
  end(): void
  /** Only the first call counts. */
  fail(error: unknown): void
}

const mostUntaken = 64

export function createEventQueue<T>(): EventQueue<T> {
  let untaken: T[] = []
  let ended = false
  let failed: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  let makeRoom: (() => void) | undefined

  const isOpen = (): boolean => !ended && failed === undefined
  const signalAll = (): void => {
    wake?.()
    makeRoom?.()
    wake = makeRoom = undefined
  }

  return {
    async push(event) {
      if (failed !== undefined) throw failed.error
      untaken.push(event)
      wake?.()
      if (untaken.length < mostUntaken) return
      await new Promise<void>((resolve) => {
        makeRoom = resolve
      })
    },
    async take() {
      while (isOpen() && untaken.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      if (untaken.length === 0) {
        if (failed !== undefined) throw failed.error
        return undefined
      }
      const taken = untaken
      untaken = []
      makeRoom?.()
      makeRoom = undefined
      return taken
    },
    end() {
      ended = true
      signalAll()
    },
    fail(error) {
      failed ??= { error }
      signalAll()
    },
  }
}
