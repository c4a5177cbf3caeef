/** Runs of one work, one at a time. */
export interface Runs {
  /** Has the work run from its start once more: at the end of this turn, or after the run that is on its way. */
  wake(): void
  /** The end of all runs that were asked for so far; undefined: they have ended. Rejects as the work does. */
  readonly last: Promise<void> | undefined
}

/** Creates runs of `work`: each does all that is new when it begins. */
export function createRuns(work: () => Promise<void>): Runs {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined

  function end(): void {
    running = next
    next = undefined
  }

  return {
    wake() {
      if (running === undefined) running = Promise.resolve().then(work).finally(end)
      else if (next === undefined) next = running.then(work, work).finally(end)
      else return
      // The failure is for those who wait for the last run.
      ;(next ?? running).catch(() => {})
    },
    get last() {
      return next ?? running
    },
  }
}
