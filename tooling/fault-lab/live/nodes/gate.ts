import { setTimeout as sleep } from 'node:timers/promises'

/** A gate that many pass at a time, and that one closes for a while. */
export interface Gate {
  /** Runs when the gate is open. */
  pass<T>(run: () => Promise<T>): Promise<T>
  /** Closes the gate, waits for those that passed it, but at most `patienceMs`, runs, and opens it. Not reentrant. */
  close<T>(run: () => Promise<T>): Promise<T>
}

export function createGate(patienceMs: number): Gate {
  let opened: PromiseWithResolvers<void> | undefined
  let passing = 0
  let onEmpty: (() => void) | undefined
  const isClosed = (): boolean => opened !== undefined
  return {
    async pass(run) {
      while (isClosed()) await opened?.promise
      passing++
      try {
        return await run()
      } finally {
        if (--passing === 0) onEmpty?.()
      }
    },
    async close(run) {
      opened = Promise.withResolvers<void>()
      const giveUp = new AbortController()
      try {
        if (passing > 0) {
          const empty = new Promise<void>((resolve) => (onEmpty = resolve))
          await Promise.race([empty, sleep(patienceMs, undefined, { signal: giveUp.signal }).catch(() => {})])
        }
        return await run()
      } finally {
        giveUp.abort()
        onEmpty = undefined
        opened.resolve()
        opened = undefined
      }
    },
  }
}
