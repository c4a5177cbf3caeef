import type { Clock } from '@wayleave/jsonrpc-core'

/** Runs when its time has come. */
export interface Waiter {
  late(): void
}

/** A place among those who wait. */
export interface Due {
  readonly waiter: Waiter
}

/**
 * Calls who waits for a time, a few ms late: one timer for all, since calls are many and seldom take long. Each costs less than a
 * timer of its own. A tick that comes late itself is put off once: what has arrived meanwhile goes first.
 */
export interface Overdue {
  /** Calls `late` of `waiter` once, `ms` after `now` or a little later. */
  after(now: number, ms: number, waiter: Waiter): Due
  forget(due: Due): void
}

/** Time between two looks, in ms. */
const tickMs = 10

interface Entry extends Due {
  readonly at: number
  isWanted: boolean
  next: Entry | undefined
  before: Entry | undefined
}

export function createOverdue(clock: Clock): Overdue {
  let first: Entry | undefined
  let last: Entry | undefined
  let isTicking = false
  let tickAt = 0
  let hasWaited = false

  function tick(): void {
    const now = clock.now()
    // The process was busy: answers may have come that it has not read yet.
    hasWaited = !hasWaited && now - tickAt > tickMs
    if (hasWaited && first !== undefined) return start()
    // One that is forgotten on the way still leads on to those after it.
    for (let entry = first; entry !== undefined; entry = entry.next) {
      if (entry.at > now || !entry.isWanted) continue
      leave(entry)
      entry.waiter.late()
    }
    // A waiter that comes back meanwhile needs no timer of its own.
    isTicking = false
    if (first !== undefined) start()
  }

  function start(): void {
    isTicking = true
    tickAt = clock.now() + tickMs
    clock.after(tickMs, tick)
  }

  function leave(entry: Entry): void {
    const { next, before } = entry
    entry.isWanted = false
    if (before === undefined) first = next
    else before.next = next
    if (next === undefined) last = before
    else next.before = before
  }

  return {
    after(now, ms, waiter) {
      const entry: Entry = { waiter, at: now + ms, isWanted: true, next: undefined, before: last }
      if (last === undefined) first = entry
      else last.next = entry
      last = entry
      if (!isTicking) start()
      return entry
    },
    forget(due) {
      const entry = due as Entry
      if (entry.isWanted) leave(entry)
    },
  }
}
