/** Hands events from their maker to their reader, who takes all at once that are there. */
export interface EventQueue<T> {
  /** Adds an event, and waits while many are untaken. Throws once the queue has failed. */
  push(event: T): Promise<void>
  /** Takes the events as soon as there are any; undefined after the last. Throws the error of `fail` once they are taken. */
  take(): Promise<readonly T[] | undefined>
  /** Tells that there are no more events. */
  end(): void
  /** Ends the queue with an error. Only the first call counts. */
  fail(error: unknown): void
}

/** Creates a queue. `mostUntaken` tells at how many untaken events the maker of one waits. */
export function createEventQueue<T>(mostUntaken: (event: T) => number): EventQueue<T> {
  let untaken: T[] = []
  let ended = false
  let failed: { readonly error: unknown } | undefined
  let wake: (() => void) | undefined
  let resume: (() => void) | undefined

  const isOpen = (): boolean => !ended && failed === undefined
  const signalAll = (): void => {
    wake?.()
    resume?.()
    wake = resume = undefined
  }

  return {
    async push(event) {
      if (failed !== undefined) throw failed.error
      untaken.push(event)
      wake?.()
      if (untaken.length < mostUntaken(event)) return
      await new Promise<void>((resolve) => {
        resume = resolve
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
      resume?.()
      resume = undefined
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
