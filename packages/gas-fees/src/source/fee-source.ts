import { type Clock, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { GasFeesError } from '../error.ts'
import type { PromiseLedger } from '../promise-ledger.ts'
import { wayleave } from '../strategies/wayleave.ts'
import type { FeeStrategy } from '../strategy.ts'
import { type ChainFollower, followChain } from './chain-follower.ts'
import { askHandler, createChainReader } from './chain-reader.ts'
import type { ChainWindow } from './chain-window.ts'
import { createEarlierBaseFees } from './earlier-base-fees.ts'
import type { HeadSource } from './head-source.ts'
import { createFeeAnswer, type FeeAnswer } from './fee-answer.ts'
import type { FeeStore } from './fee-store.ts'
import { createKeptBlocks } from './kept-blocks.ts'
import { createTipFloor } from './tip-floor.ts'

export interface FeeSourceOptions {
  /** Calls the network's nodes. Heads are pushed if it opens `eth_subscribe` `newHeads`, else polled. */
  readonly handler: RpcHandler
  /**
   * Tells the network's heads, which are then neither polled nor subscribed to; a node is asked only where nothing came for two blocks' time,
   * from 5 s to a minute.
   */
  readonly heads?: HeadSource | undefined
  /** Default: the system clock. Its date is compared with the time of blocks. */
  readonly clock?: Clock | undefined
  /** Default: {@link wayleave}. */
  readonly strategy?: FeeStrategy | undefined
  /** Keeps the blocks over restarts. */
  readonly store?: { readonly network: string; readonly fees: FeeStore } | undefined
  /** The most blocks kept. Default 500. */
  readonly window?: number | undefined
  /** The greatest age of an answer, in ms. Default: ten blocks, from 60,000 to 600,000. */
  readonly maxAgeMs?: number | undefined
  /** How long the network is followed while nobody asks or watches, in ms. Default 300,000. */
  readonly idleMs?: number | undefined
  /** How long each call to a node may take, in ms. Default 10,000. */
  readonly timeoutMs?: number | undefined
  /** Blocks come only with transactions, as on a development chain, so a head that stands still is not old. Default false. */
  readonly blocksOnDemand?: boolean | undefined
  /** Takes the offers of each block while the network is followed, and judges them. Default: nobody does. */
  readonly ledger?: PromiseLedger | undefined
  /** Called with each failure that costs nothing yet, for a log: a node does not answer, a store does not load. */
  readonly onFailure?: ((why: unknown) => void) | undefined
}

/** A source's state at this moment. */
export type FeeReading =
  | {
      readonly state: 'ready'
      readonly answer: FeeAnswer
      /** How long ago it was last known to be true, in ms. */
      readonly ageMs: number
      /** Blocks are overdue: the nodes do not answer, or have stopped. */
      readonly isStale: boolean
      /** When the next block is expected, in ms from now; 0 if it is overdue. */
      readonly nextBlockInMs: number
    }
  | { readonly state: 'unavailable'; readonly reason: string; readonly retryAfterMs: number }
  /** A network without EIP-1559, which will not change soon. */
  | { readonly state: 'unsupported'; readonly reason: string }

/** Follows the fees of one network, for any number of callers. */
export interface FeeSource extends AsyncDisposable {
  /**
   * Reads from memory, without a promise, while the network is followed. Otherwise it starts to follow, and resolves once that
   * has succeeded or failed. Never rejects. After `close` it is `unavailable`.
   */
  current(): FeeReading | Promise<FeeReading>
  /** Reads from memory what {@link current} would, but asks nothing and counts as no question; undefined while the network is not followed. */
  peek(): FeeReading | undefined
  /**
   * Follows the network, and calls the listener with each new answer, until the returned function is called. An error of a
   * listener surfaces on its own, and does not disturb the others. `onEnd`: called once there will be no further answer, as the source
   * is closed.
   */
  watch(listener: (answer: FeeAnswer) => void, onEnd?: () => void): () => void
  /** Stops following and saves. May be called again. */
  close(): Promise<void>
}

/** Ethereum's block time, in ms, used until one is known. */
const usualBlockTimeMs = 12_000
const recheckMs = 60_000
/** The most by which the clock of those who make blocks is believed to differ, in ms. */
const mostClockDifferenceMs = 600_000

/** The newest answer, and its times by {@link Clock.now}. */
interface Known {
  readonly window: ChainWindow
  readonly answer: FeeAnswer
  /** When its head was first heard of, or was made by its timestamp, where nobody followed the network then and it is older than clocks differ. */
  readonly headAt: number
  /** When a node last told this head. */
  readonly confirmedAt: number
}

/** Reads the fees of the network behind a handler. Nothing is asked before the first use. */
export function createFeeSource(options: FeeSourceOptions): FeeSource {
  const { handler, clock = systemClock, strategy = wayleave, store, window: limit = 500 } = options
  const onFailure = (why: unknown): void => report(options.onFailure, why)
  const { idleMs = 300_000, timeoutMs = 10_000, blocksOnDemand = false } = options
  const reader = createChainReader(askHandler(handler, clock, timeoutMs))
  const kept = createKeptBlocks({ store, strategy, reader, clock, timeoutMs, onFailure })
  const withTipFloor = createTipFloor({ reader, strategy, now: () => clock.now() })
  const earlier = createEarlierBaseFees({ reader, clock, onPage: answerAgain, onFailure })
  const watchers = new Set<{
    readonly listener: (answer: FeeAnswer) => void
    readonly onEnd: (() => void) | undefined
  }>()
  let following: { readonly follower: ChainFollower; hasBegun: boolean } | undefined
  let known: Known | undefined
  let unsupported: { readonly reason: string; readonly until: number } | undefined
  let askedAt = clock.now()
  let isClosed = false

  function start(): ChainFollower {
    const follower = followChain({
      handler,
      reader,
      heads: options.heads,
      clock,
      timeoutMs,
      limit,
      percentiles: strategy.percentiles,
      blocksOnDemand,
      withTipFloor,
      before: (signal) => (known === undefined ? load(signal) : Promise.resolve(known.window)),
      onWindow,
      onFailure: fail,
    })
    const begun = { follower, hasBegun: false }
    following = begun
    void follower.begun.then(() => (begun.hasBegun = true))
    return follower
  }

  async function load(signal: AbortSignal): Promise<ChainWindow | undefined> {
    const found = await kept.load(signal)
    if (found !== undefined) earlier.restore(found.earlier, found.window)
    return found?.window
  }

  function leave(): void {
    following?.follower.stop()
    earlier.stop()
    following = undefined
  }

  function stop(): Promise<void> {
    leave()
    return known === undefined ? Promise.resolve() : save(known.window, true)
  }

  function save(window: ChainWindow, last = false): Promise<void> {
    return kept.save({ window, earlier: earlier.before(window) }, last)
  }

  function isIdle(): boolean {
    return watchers.size === 0 && clock.now() - askedAt >= idleMs
  }

  function onWindow(window: ChainWindow): void {
    const confirmedAt = clock.now()
    unsupported = undefined
    earlier.follow(window)
    if (window === known?.window) known = { ...known, confirmedAt }
    else {
      const answer = answerOf(window)
      const headAt = answer.blockHash === known?.answer.blockHash ? known.headAt : arrivalOf(answer, confirmedAt)
      known = { window, answer, headAt, confirmedAt }
      for (const { listener } of watchers) report(listener, answer)
      options.ledger?.take(answer, window.marks)
    }
    if (isIdle()) void stop()
    else void save(window)
  }

  /** When a head that came just now begins to age: the first one of a node that has stopped may be of long ago. */
  function arrivalOf({ blockDate }: FeeAnswer, now: number): number {
    const sinceBlock = clock.date() - blockDate
    return known === undefined && sinceBlock > mostClockDifferenceMs ? now - sinceBlock : now
  }

  function answerOf(window: ChainWindow): FeeAnswer {
    return createFeeAnswer(window, strategy, earlier.before(window)?.baseFees)
  }

  /** Takes more base fees into the answer. Watchers hear of them with the next block. */
  function answerAgain(): void {
    if (known !== undefined) known = { ...known, answer: answerOf(known.window) }
  }

  function fail(why: unknown): void {
    // On a network that gave fees just now, this is one bad node of several.
    if (why instanceof GasFeesError && why.code === 'unsupported' && read().state !== 'ready') {
      unsupported = { reason: why.message, until: clock.now() + recheckMs }
      known = undefined
      leave()
      return
    }
    onFailure(why)
    if (isIdle()) void stop()
  }

  function read(): FeeReading {
    if (unsupported !== undefined) return { state: 'unsupported', reason: unsupported.reason }
    if (known === undefined) return unavailable('no node of this network has answered yet')
    const { answer, headAt, confirmedAt } = known
    const sinceBlock = clock.now() - headAt
    const ageMs = blocksOnDemand ? clock.now() - confirmedAt : sinceBlock
    const blockTimeMs = blocksOnDemand ? 0 : (answer.history.blockTimeMs ?? usualBlockTimeMs)
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
      if (following !== undefined) return following.hasBegun ? read() : following.follower.begun.then(read)
      if (unsupported !== undefined && askedAt < unsupported.until) return read()
      unsupported = undefined
      return start().begun.then(read)
    },
    peek: () => (following?.hasBegun === true ? read() : undefined),
    watch(listener, onEnd) {
      if (isClosed) {
        report(onEnd, undefined)
        return () => {}
      }
      const watcher = { listener, onEnd }
      watchers.add(watcher)
      if (following === undefined) start()
      return () => {
        if (watchers.delete(watcher)) askedAt = clock.now()
      }
    },
    async close() {
      isClosed = true
      const left = [...watchers]
      watchers.clear()
      for (const { onEnd } of left) report(onEnd, undefined)
      await stop()
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

/** Calls a listener. Its error surfaces as from an event listener: it must not disturb others who share the source. */
function report<T>(listener: ((reported: T) => void) | undefined, reported: T): void {
  try {
    listener?.(reported)
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

function unavailable(reason: string): FeeReading {
  return { state: 'unavailable', reason, retryAfterMs: 5_000 }
}
