import { type Clock, type RpcHandler, subscribe, type Subscription } from '@wayleave/jsonrpc-core'
import { type ChainReader, type Head, headOf } from './chain-reader.ts'
import type { HeadSource } from './head-source.ts'
import { blockTimeOf, type ChainWindow, requireBaseFee, windowUpTo, withBlockTime } from './chain-window.ts'
import type { TipFloor } from './tip-floor.ts'

export interface FollowOptions {
  readonly handler: RpcHandler
  readonly reader: ChainReader
  /** Tells new heads; undefined: they are subscribed to. */
  readonly heads: HeadSource | undefined
  readonly clock: Clock
  readonly timeoutMs: number
  /** The most blocks of the window. */
  readonly limit: number
  readonly percentiles: readonly number[]
  readonly blocksOnDemand: boolean
  /** Adds the node's own tip where nobody tipped. */
  readonly withTipFloor: TipFloor
  /** Loads a window to continue from, as far as the chain still has it. Must not reject. */
  readonly before: (signal: AbortSignal) => Promise<ChainWindow | undefined>
  /** Called each time a node has told its head, with the window that ends there; the same object if nothing has changed. */
  readonly onWindow: (window: ChainWindow) => void
  /** Called when a round has failed; the next one follows by itself. */
  readonly onFailure: (why: unknown) => void
}

export interface ChainFollower {
  /** Resolves when the first round has succeeded or failed. */
  readonly begun: Promise<void>
  /** Leaves the heads and cancels running calls. */
  stop(): void
}

/** Times in ms. */
const soonest = 250
const latest = 15_000
const onDemandPoll = 1_000
const quietest = 5_000
const longestResubscribe = 300_000
/** The longest silence of a subscription, however rare blocks are: it may have died unnoticed. */
const longestQuiet = 60_000

/**
 * Keeps a window at the head of its chain, one round at a time: for each pushed head, and otherwise when the next one is
 * due. A head below the window's is believed once a node that was asked again has told it too: until then the node may only be
 * behind, or pushes may come out of order.
 */
export function followChain(options: FollowOptions): ChainFollower {
  const { reader, clock, limit, percentiles, blocksOnDemand } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let before: ChainWindow | undefined
  let window: ChainWindow | undefined
  let seenAt = 0
  let pushed: Head | undefined
  let isBusy = false
  let failures = 0
  let lowerHeads = 0
  let feed: HeadFeed | undefined
  let stopTimer = (): void => {}

  async function round(): Promise<void> {
    isBusy = true
    stopTimer()
    try {
      do {
        const reported = pushed
        pushed = undefined
        await reach(reported ?? (await askHead()), reported !== undefined)
      } while (pushed !== undefined)
      failures = 0
    } catch (thrown) {
      failures++
      pushed = undefined
      if (!signal.aborted) options.onFailure(thrown)
    }
    isBusy = false
    if (!signal.aborted) stopTimer = clock.after(waitMs(), () => void round())
  }

  async function askHead(): Promise<Head> {
    const head = await reader.newest(signal)
    requireBaseFee(head)
    return head
  }

  async function reach(head: Head, isPushed: boolean): Promise<void> {
    const known = window?.marks.at(-1)
    if (known !== undefined && head.number < known.number && (lowerHeads++ === 0 || isPushed)) return
    if (known?.hash !== head.hash || window === undefined) {
      const reached = await windowUpTo(head, window ?? before, { reader, limit, percentiles, signal })
      window = await options.withTipFloor(await withBlockTime(reached, reader, signal), signal)
      seenAt = clock.now()
    }
    lowerHeads = 0
    if (!signal.aborted) options.onWindow(window)
  }

  function waitMs(): number {
    const blockTimeMs = window === undefined || blocksOnDemand ? undefined : blockTimeOf(window)
    if (failures > 0) return Math.min(soonest * 2 ** failures, quietest)
    if (lowerHeads > 0) return soonest
    if (feed?.isOpen === true) return Math.min(Math.max(quietest, 2 * (blockTimeMs ?? 0)), longestQuiet)
    if (window === undefined || blockTimeMs === undefined) return onDemandPoll
    const sinceBlock = clock.now() - seenAt
    const margin = blockTimeMs / 8
    return Math.min(Math.max(blockTimeMs - sinceBlock + margin, margin, soonest), latest)
  }

  function onHead(event: unknown): void {
    if (signal.aborted) return
    try {
      pushed = headOf(event)
    } catch {
      pushed = undefined
    }
    if (!isBusy) void round()
  }

  async function begin(): Promise<void> {
    before = await options.before(signal)
    if (signal.aborted) return
    await round()
    if (signal.aborted) return
    const onEnd = (): void => {
      if (!isBusy) void round()
    }
    feed =
      options.heads === undefined
        ? openHeadFeed(options, signal, { onHead, onEnd })
        : {
            isOpen: true,
            stop: options.heads.watch(({ kind, header }) => {
              if (kind === 'new') onHead(header?.value())
            }),
          }
  }

  return {
    begun: begin(),
    stop() {
      stopping.abort()
      stopTimer()
      feed?.stop()
    },
  }
}

/** Heads that nodes push, or that the host tells. */
interface HeadFeed {
  /** Whether a subscription is open now. */
  readonly isOpen: boolean
  stop(): void
}

interface HeadListener {
  /** Called with each `newHeads` event; with undefined for a gap. */
  readonly onHead: (event: unknown) => void
  /** Called when the open subscription has ended. */
  readonly onEnd: () => void
}

/** Subscribes to new heads, and again after each end or failure, waiting longer each time. */
function openHeadFeed(options: FollowOptions, signal: AbortSignal, { onHead, onEnd }: HeadListener): HeadFeed {
  const { handler, clock, timeoutMs } = options
  let subscription: Subscription | undefined
  let resubscribeMs = quietest
  let stopTimer = (): void => {}

  async function open(): Promise<void> {
    let hasEnded = false
    const ended = (): void => {
      hasEnded = true
      subscription = undefined
      if (signal.aborted) return
      openLater()
      onEnd()
    }
    try {
      const opened = await subscribe(
        handler,
        'eth_subscribe',
        ['newHeads'],
        { onEvent: onHead, onGap: () => onHead(undefined), onEnd: ended },
        { signal, clock, timeoutMs },
      )
      if (signal.aborted) return opened.unsubscribe()
      if (hasEnded) return
      subscription = opened
      resubscribeMs = quietest
    } catch {
      // Most often the transport has no subscriptions; polling costs little more.
      if (!signal.aborted) openLater()
    }
  }

  function openLater(): void {
    stopTimer = clock.after(resubscribeMs, () => void open())
    resubscribeMs = Math.min(resubscribeMs * 2, longestResubscribe)
  }

  void open()
  return {
    get isOpen() {
      return subscription !== undefined
    },
    stop() {
      stopTimer()
      subscription?.unsubscribe()
    },
  }
}
