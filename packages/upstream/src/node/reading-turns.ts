/**
 * The turns of the event loop, shared by long bodies that arrive at the same time: all that has come on some hundred connections would be
 * read in one turn else, and stop everything beside it for some ten milliseconds.
 */
export interface ReadingTurns {
  /** Takes note of bytes that were read; false: no more of this body is to be read until `resume` is called. */
  read(bytes: number, resume: () => void): boolean
}

/** Bytes that are read in a turn, about, before bodies wait for the next one. */
const perTurn = 1_048_576
/** Bodies that go on in a turn: each reads some 64 kB or 128 kB at a time. */
const bodiesPerTurn = 8

/** Creates the turns of a process. `nextTurn` calls back in the next turn of the event loop. */
export function createReadingTurns(nextTurn: (run: () => void) => void): ReadingTurns {
  /** The one that waits longest comes first. */
  let waiting: (() => void)[] = []
  let spent = 0
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    nextTurn(() => {
      isScheduled = false
      spent = 0
      const going = waiting.slice(0, bodiesPerTurn)
      waiting = waiting.slice(bodiesPerTurn)
      for (const resume of going) resume()
      if (waiting.length > 0) schedule()
    })
  }

  return {
    read(bytes, resume) {
      spent += bytes
      schedule()
      if (spent <= perTurn && waiting.length === 0) return true
      waiting.push(resume)
      return false
    },
  }
}
