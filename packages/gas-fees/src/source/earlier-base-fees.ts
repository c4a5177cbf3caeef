import type { Clock } from '@wayleave/jsonrpc-core'
import { afterOrAbort } from '../after-or-abort.ts'
import { GasFeesError } from '../error.ts'
import { type BaseFeeRun, gapOf, type KnownBaseFees, runBefore, runOf, withNewest, withOlder } from './base-fee-run.ts'
import type { ChainReader } from './chain-reader.ts'
import type { ChainWindow } from './chain-window.ts'
import { refuses } from './fetch-blocks.ts'

export interface EarlierBaseFeesOptions {
  readonly reader: ChainReader
  readonly clock: Clock
  /** Called with each page that came. */
  readonly onPage: () => void
  /** Called with each failure; the next try follows by itself. */
  readonly onFailure: (why: unknown) => void
}

/** The base fees of the blocks before a window, for congestion; missing ones are fetched in the background. */
export interface EarlierBaseFees {
  /** Starts from what was kept: the fees right before a window's, which may be older than the next window. */
  restore(earlier: BaseFeeRun | undefined, window: ChainWindow): void
  /** Takes in a window at the head, and fetches what is missing before it. */
  follow(window: ChainWindow): void
  /** The fees right before a window's blocks, as far as they are known. */
  before(window: ChainWindow): BaseFeeRun | undefined
  /** Cancels the fetching; {@link EarlierBaseFees.follow} begins again. */
  stop(): void
}

/** Blocks in a question: the most that geth answers. */
const pageSize = 1_024
/** Times in ms: between questions, and the longest after failures. */
const pauseMs = 1_000
const longestPauseMs = 300_000
/** The most questions from one start to the next: a node that gives a few blocks at a time fills no window. */
const mostPages = 200

/** Fetches one page a second, one at a time, so that callers' questions hardly notice. */
export function createEarlierBaseFees(options: EarlierBaseFeesOptions): EarlierBaseFees {
  const { reader, clock, onPage, onFailure } = options
  let known: KnownBaseFees | undefined
  let filling: AbortController | undefined

  /** Resolves with true once nothing is missing. */
  async function fill(signal: AbortSignal): Promise<boolean> {
    let size = pageSize
    let wait = pauseMs
    for (let pages = 0; pages < mostPages; pages += 1) {
      await pause(wait, signal)
      const gap = known && gapOf(known)
      if (signal.aborted) return false
      if (gap === undefined) return true
      const count = Math.min(size, gap.count)
      try {
        const { blocks } = await reader.fees(count, gap.newest, [], signal)
        if (blocks.at(-1)!.number !== gap.newest) {
          throw new GasFeesError(
            'invalid_response',
            `expected base fees up to block ${gap.newest}: the node is behind, or ahead`,
          )
        }
        if (signal.aborted) return false
        known = withOlder(known!, runOf({ blocks: blocks.slice(-gap.count) }))
        wait = pauseMs
        onPage()
      } catch (thrown) {
        if (signal.aborted) return false
        if (count > 1 && refuses(thrown)) size = count >> 1
        else {
          wait = Math.min(2 * wait, longestPauseMs)
          onFailure(thrown)
        }
      }
    }
    return false
  }

  function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => afterOrAbort(clock, ms, signal, () => resolve()))
  }

  return {
    restore(earlier, window) {
      known = withNewest(earlier && { newest: earlier }, runOf(window))
    },
    follow(window) {
      known = withNewest(known, runOf(window))
      if (filling !== undefined || gapOf(known) === undefined) return
      const started = new AbortController()
      filling = started
      void fill(started.signal).then((isWhole) => {
        if (isWhole && filling === started) filling = undefined
      })
    },
    before: (window) => known && runBefore(known.newest, window.blocks[0]!.number),
    stop() {
      filling?.abort()
      filling = undefined
    },
  }
}
