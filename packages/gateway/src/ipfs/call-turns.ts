import type { Clock } from '@wayleave/jsonrpc-core'
import { createFairShare } from '@wayleave/upstream'

/** The calls of the IPFS API that run at once, each of which may hold a few MiB. Projects share them fairly; others wait, unread. */
export interface CallTurns {
  /** Resolves with the function that ends the turn; undefined where none came in time, or the caller left. */
  take(project: string, left: AbortSignal): Promise<(() => void) | undefined>
}

export interface CallTurnsOptions {
  /** Most calls at once. */
  readonly maxCalls: number
  /** Longest wait, in ms. */
  readonly waitMs: number
  readonly clock: Clock
}

type Waiter = (isTurn: boolean) => void

export function createCallTurns({ maxCalls, waitMs, clock }: CallTurnsOptions): CallTurns {
  const share = createFairShare(maxCalls)
  /** The projects with calls that wait, the next in turn first. */
  const tenants = new Map<string, Set<Waiter>>()

  function begin(project: string): () => void {
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      share.give(project, 1)
      while (serve()) continue
    }
  }

  /** Gives a free turn to the project whose turn it is; false where none may have one. */
  function serve(): boolean {
    for (const [project, waiters] of tenants) {
      if (!share.take(project, 1)) continue
      const [next] = waiters
      tenants.delete(project)
      waiters.delete(next!)
      if (waiters.size > 0) tenants.set(project, waiters)
      next!(true)
      return true
    }
    return false
  }

  return {
    async take(project, left) {
      if (left.aborted) return undefined
      const waiters = tenants.get(project) ?? new Set()
      if (waiters.size === 0 && share.take(project, 1)) return begin(project)
      tenants.set(project, waiters)
      const isTurn = await new Promise<boolean>((resolve) => {
        const settle = (came: boolean): void => {
          stop()
          left.removeEventListener('abort', giveUp)
          waiters.delete(settle)
          if (waiters.size === 0 && tenants.get(project) === waiters) tenants.delete(project)
          resolve(came)
        }
        const giveUp = (): void => settle(false)
        const stop = clock.after(waitMs, giveUp)
        left.addEventListener('abort', giveUp, { once: true })
        waiters.add(settle)
      })
      return isTurn ? begin(project) : undefined
    },
  }
}
