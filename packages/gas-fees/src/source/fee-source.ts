import { type Clock, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeStrategy } from '../strategy.ts'
import { askHandler } from './ask-handler.ts'
import { type ChainFollower, followChain } from './chain-follower.ts'
import { createChainReader } from './chain-reader.ts'
import type { ChainWindow } from './chain-window.ts'
import { createFeeAnswer, type FeeAnswer } from './fee-answer.ts'
import type { FeeStore } from './fee-store.ts'
import { createKeptBlocks } from './kept-blocks.ts'

export interface FeeSourceOptions {
  /** Asks the network's nodes. Where it opens `eth_subscribe` `newHeads`, heads are pushed; elsewhere they are polled. */
  readonly handler: RpcHandler
  /** Default: the system clock. Its wall clock is compared with the time of blocks. */
  readonly clock?: Clock | undefined
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  /** Keeps the blocks over restarts. */
  readonly store?: { readonly network: string; readonly fees: FeeStore } | undefined
  /** How many blocks are kept. Default 500. */
  readonly window?: number | undefined
  /** The greatest age of an answer, in ms. Default: ten blocks, from 60,000 to 600,000. */
  readonly maxAgeMs?: number | undefined
  /** How long the network is followed while nobody asks or watches, in ms. Default 300,000. */
  readonly idleMs?: number | undefined
  /** How long each call to a node may take, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Blocks come only with transactions, as on a development chain: a head that stands still is not old. Default false. */
  readonly blocksOnDemand?: boolean | undefined
  /** Hears of each failure that costs nothing yet: a node that does not answer, a store that does not load. For a log. */
  readonly onFailure?: ((why: unknown) => void) | undefined
}

/** What a source knows at this moment. */
export type FeeReading =
  | {
      readonly state: 'ready'
      readonly answer: FeeAnswer
      /** How long ago it was known to be true, in ms. */
      readonly ageMs: number
      /** Blocks are overdue: the nodes do not answer, or have stopped. */
      readonly isStale: boolean
      /** When the next block is expected, in ms from now; 0 where it is overdue. */
      readonly nextBlockInMs: number
    }
  | { readonly state: 'unavailable'; readonly reason: string; readonly retryAfterMs: number }
  /** Will not change soon: a network without EIP-1559. */
  | { readonly state: 'unsupported'; readonly reason: string }

/** The fees of one network, shared by everyone who asks. */
export interface FeeSource extends AsyncDisposable {
  /**
   * From memory, without a promise, while the network is followed; else it begins to follow, and resolves once that has
   * succeeded or failed. Never rejects. After `close` it is `unavailable`.
   */
  current(): FeeReading | Promise<FeeReading>
  /**
   * Follows the network, and tells each new answer, until the returned function is called. What a listener throws surfaces
   * on its own, and keeps nobody else from hearing.
   */
  watch(listener: (answer: FeeAnswer) => void): () => void
  /** Stops following and saves. May be called again. */
  close(): Promise<void>
}

/** Where it is not known yet: Ethereum's, in ms. */
const usualBlockTimeMs = 12_000
/** Where more is measured, a halt of the chain or a lie may be part of it: it must not make old answers pass for new. */
const longestBlockTimeMs = 60_000
const recheckMs = 60_000

/** The fees of the network behind a handler. Nothing is asked before the first use. */
export function createFeeSource(options: FeeSourceOptions): FeeSource {
  const { handler, clock = systemClock, strategy = wayleave, store, window: limit = 500 } = options
  const onFailure = (why: unknown): void => tell(options.onFailure, why)
  const { idleMs = 300_000, timeoutMs = 10_000, blocksOnDemand = false } = options
  const reader = createChainReader(askHandler(handler, clock, timeoutMs))
  const kept = createKeptBlocks({ store, strategy, reader, clock, timeoutMs, onFailure })
  const watchers = new Set<{ readonly listener: (answer: FeeAnswer) => void }>()
  let follower: ChainFollower | undefined
  let hasBegun = false
  let isClosed = false
  let window: ChainWindow | undefined
  let answer: FeeAnswer | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY
  let headAt = Number.NEGATIVE_INFINITY
  let askedAt = clock.now()
  let unsupported: { readonly reason: string; readonly until: number } | undefined

  function start(): ChainFollower {
    hasBegun = false
    const begun = followChain({
      handler,
      reader,
      clock,
      timeoutMs,
      limit,
      percentiles: strategy.percentiles,
      blocksOnDemand,
      before: async (signal) => window ?? kept.load(signal),
      onWindow,
      onFailure: fail,
    })
    follower = begun
    void begun.begun.then(() => {
      if (follower === begun) hasBegun = true
    })
    return begun
  }

  function stop(): Promise<void> {
    follower?.stop()
    follower = undefined
    return window === undefined ? Promise.resolve() : kept.save(window, true)
  }

  function onWindow(reached: ChainWindow): void {
    confirmedAt = clock.now()
    unsupported = undefined
    if (reached !== window) {
      const before = answer?.blockHash
      window = reached
      answer = createFeeAnswer(window, strategy)
      if (answer.blockHash !== before) headAt = confirmedAt
      for (const { listener } of watchers) tell(listener, answer)
    }
    if (watchers.size === 0 && clock.now() - askedAt >= idleMs) void stop()
    else void kept.save(window)
  }

  function fail(why: unknown): void {
    // Of a network that has told fees just now, one bad node of several says so.
    if (why instanceof GasFeesError && why.code === 'unsupported' && read().state !== 'ready') {
      unsupported = { reason: why.message, until: clock.now() + recheckMs }
      window = answer = undefined
      follower?.stop()
      follower = undefined
      return
    }
    onFailure(why)
    if (watchers.size === 0 && clock.now() - askedAt >= idleMs) void stop()
  }

  function read(): FeeReading {
    if (unsupported !== undefined) return { state: 'unsupported', reason: unsupported.reason }
    if (answer === undefined) return unavailable('no node of this network has answered yet')
    const sinceBlock = clock.date() - answer.blockDate
    const ageMs = blocksOnDemand ? clock.now() - confirmedAt : Math.max(clock.now() - headAt, sinceBlock)
    const measured = answer.history.blockTimeMs ?? usualBlockTimeMs
    const blockTimeMs = blocksOnDemand ? 0 : Math.min(measured, longestBlockTimeMs)
    if (ageMs > (options.maxAgeMs ?? Math.max(60_000, 10 * blockTimeMs))) {
      return unavailable(
        `the newest answer is ${Math.round(ageMs / 1_000)} s old: the nodes of this network do not follow`,
      )
    }
    const isStale = ageMs > Math.max(10_000, 3 * blockTimeMs)
    const nextBlockInMs = Math.min(Math.max(0, blockTimeMs - sinceBlock), blockTimeMs)
    return { state: 'ready', answer, ageMs, isStale, nextBlockInMs }
  }

  return {
    current() {
      askedAt = clock.now()
      if (isClosed) return unavailable('the source is closed')
      if (follower !== undefined) return hasBegun ? read() : follower.begun.then(read)
      if (unsupported !== undefined && askedAt < unsupported.until) return read()
      unsupported = undefined
      return start().begun.then(read)
    },
    watch(listener) {
      const watcher = { listener }
      watchers.add(watcher)
      if (!isClosed && follower === undefined) start()
      return () => {
        if (watchers.delete(watcher)) askedAt = clock.now()
      }
    },
    async close() {
      isClosed = true
      watchers.clear()
      await stop()
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/** What a listener throws surfaces as from an event listener: it must not disturb those who share the source. */
function tell<T>(listener: ((told: T) => void) | undefined, told: T): void {
  try {
    listener?.(told)
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

function unavailable(reason: string): FeeReading {
  return { state: 'unavailable', reason, retryAfterMs: 5_000 }
}
