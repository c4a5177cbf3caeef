import type { Clock } from '@wayleave/jsonrpc-core'
import { createLine } from '../line.ts'

/**
 * Runs what is due at a time, a few ms late: one timer for all, since calls are many and seldom take long. Each entry costs less than a
 * timer of its own.
 */
export interface Overdue {
  /** Calls `run` once, in `ms` or a little later. Returns a function that forgets it. */
  after(ms: number, run: () => void): () => void
}

/** Time between two looks, in ms. */
const tickMs = 10

interface Entry {
  readonly dueAt: number
  readonly run: () => void
  isWanted: boolean
}

export function createOverdue(clock: Clock): Overdue {
  const entries = createLine<Entry>()
  let isTicking = false

  function tick(): void {
    isTicking = false
    const now = clock.now()
    for (let place = entries.first; place !== undefined; place = place.next) {
      const entry = place.value
      // One that ran before it in this tick may have had it forgotten.
      if (entry.dueAt > now || !entry.isWanted) continue
      entry.isWanted = false
      entries.leave(place)
      entry.run()
    }
    if (!entries.isEmpty) start()
  }

  function start(): void {
    isTicking = true
    clock.after(tickMs, tick)
  }

  return {
    after(ms, run) {
      const entry: Entry = { dueAt: clock.now() + ms, run, isWanted: true }
      const place = entries.push(entry)
      if (!isTicking) start()
      return () => {
        if (!entry.isWanted) return
        entry.isWanted = false
        entries.leave(place)
      }
    },
  }
}
