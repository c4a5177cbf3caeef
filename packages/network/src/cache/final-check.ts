import type { Clock } from '@wayleave/jsonrpc-core'
import type { ChainView } from '@wayleave/upstream'
import type { RewrittenChain } from '../heads/rewritten-chains.ts'

/** The check that the nodes still have the final block by which the chain of a network is known. */
export interface FinalCheck {
  /** Notes that the served head does not follow on the one before. `isOdd`: not only because heads come too fast to see each. */
  doubt(isOdd: boolean): void
  /**
   * Begins a check where one is due. Returns a promise that a kept answer about blocks has to wait for: all upstreams were lost, and the
   * nodes that came back may have another chain. Resolves within a second with whether the answer still holds; undefined: there is nothing to
   * wait for. Never rejects.
   */
  confirmed(): Promise<boolean> | undefined
  /** Whether all upstreams were lost since the nodes last named the final block. */
  isUnsure(): boolean
}

export interface FinalCheckOptions {
  readonly view: Pick<ChainView, 'losses' | 'finalized'>
  readonly known: Pick<RewrittenChain, 'final'>
  /** Asks the nodes for the hash of their block at a height. Undefined: none answers, or has such a block, as one that lags. Must not reject. */
  readonly hashAt: (height: number) => Promise<string | undefined>
  /** Called where the nodes have another block at that height. */
  readonly onOther: () => void
  /** Called with the chain confirmed: finds out which shared answers are of it. Default: none are shared. */
  readonly onConfirmed?: (() => void) | undefined
  /** Whether it is not known yet which shared answers are of the chain. */
  readonly isUnshared?: (() => boolean) | undefined
  readonly clock: Clock
}

/** Least time between two checks, in ms: where something is odd, and where heads only come too fast to see each. */
const soonestMs = 1_000
const usualMs = 10_000
/** Longest time between two checks of which the one before brought nothing, in ms. */
const latestMs = 30_000
/** Time after which a later final block is the one by which the chain is known, in ms. */
const renewMs = 60_000

export function createFinalCheck(options: FinalCheckOptions): FinalCheck {
  const { view, known, hashAt, onOther, onConfirmed, isUnshared, clock } = options
  // A final block of a configuration before this one is of the upstreams that it had.
  let lossesSeen = known.final === undefined ? view.losses : -1
  let everyMs = Number.POSITIVE_INFINITY
  let askedAt = -renewMs
  /** The time to the next check after some that no node answered, in ms. */
  let silentMs = 0
  /** The same where it is not known which shared answers are of the chain. */
  let unsharedMs = soonestMs
  let checking: Promise<boolean> | undefined

  async function check(): Promise<boolean> {
    const [final, next, losses, before] = [known.final!, view.finalized, view.losses, everyMs]
    askedAt = clock.now()
    everyMs = Number.POSITIVE_INFINITY
    const hash = await hashAt(final.number)
    if (known.final !== final) return false
    if (hash === undefined) {
      askedAt = clock.now()
      silentMs = Math.min(Math.max(2 * silentMs, soonestMs), latestMs)
      everyMs = Math.min(everyMs, before)
      return true
    }
    silentMs = 0
    unsharedMs = hash === final.hash && isUnshared?.() === true ? Math.min(2 * unsharedMs, latestMs) : soonestMs
    lossesSeen = losses
    if (hash !== final.hash) {
      onOther()
      return false
    }
    // It was told before the check began, by nodes that have the one before.
    if (next !== undefined && next.number > final.number) known.final = next
    onConfirmed?.()
    return true
  }

  const isUnsure = (): boolean => known.final !== undefined && view.losses !== lossesSeen

  /** The time from the last check to the next one, in ms; infinite where there is nothing to check. */
  function pauseMs(isLost: boolean): number {
    if (isLost) return soonestMs
    if (isUnshared?.() === true) return Math.min(everyMs, unsharedMs)
    const isLater = (view.finalized?.number ?? -1) > known.final!.number
    return isLater ? Math.min(everyMs, renewMs) : everyMs
  }

  return {
    isUnsure,
    doubt(isOdd) {
      // Nodes that tell heads answer again.
      if (isOdd) silentMs = 0
      everyMs = Math.min(everyMs, isOdd ? soonestMs : usualMs)
    },
    confirmed() {
      if (known.final === undefined) return undefined
      const isLost = isUnsure()
      if (checking === undefined && askedAt + Math.max(silentMs, pauseMs(isLost)) <= clock.now())
        checking = check().finally(() => (checking = undefined))
      return isLost ? checking : undefined
    },
  }
}
