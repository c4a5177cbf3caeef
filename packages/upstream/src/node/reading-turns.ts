/**
 * The turns of the event loop, shared by long bodies that arrive at the same time: all that has come on some hundred connections would be
 * read in one turn else, and stop everything beside it for some ten milliseconds.
 */
export interface ReadingTurns {
  /** Whether enough was read in this turn, so that further long bodies have to wait. */
  readonly isBusy: boolean
  /** Takes note of bytes that were read; false: no more of this body is to be read until `resume` is called. */
  read(bytes: number, resume: () => void): boolean
}

/** Bytes that are read in a turn, about, before bodies wait for the next one. */
const perTurn = 131_072

/** Creates the turns of a process. `nextTurn` calls back in the next turn of the event loop. */
export function createReadingTurns(nextTurn: (run: () => void) => void): ReadingTurns {
  /** The one that waits longest comes first. */
  const waiting: (() => void)[] = []
  let spent = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    nextTurn(() => {
      isScheduled = false
      spent = 0
      // It reads some 64 kB, and may be whole then, which is more work.
      waiting.shift()?.()
      if (waiting.length > 0) schedule()
    })
  }

  const isBusy = (): boolean => spent > perTurn || waiting.length > 0
  return {
    get isBusy() {
      return isBusy()
    },
    read(bytes, resume) {
      spent += bytes
      schedule()
      if (!isBusy()) return true
      waiting.push(resume)
      return false
    },
  }
}
