import { type Clock, type RpcHandler, subscribe, type Subscription } from '@wayleave/jsonrpc-core'
import { type ChainReader, type Head, headOf } from './chain-reader.ts'
import { blockTimeOf, type ChainWindow, requireBaseFee, windowUpTo, withBlockTime } from './chain-window.ts'

export interface FollowOptions {
  readonly handler: RpcHandler
  readonly reader: ChainReader
  readonly clock: Clock
  readonly timeoutMs: number
  /** Most blocks of the window. */
  readonly limit: number
  readonly percentiles: readonly number[]
  readonly blocksOnDemand: boolean
  /** Where to go on from, as far as the chain still has it. Must not reject. */
  readonly before: (signal: AbortSignal) => Promise<ChainWindow | undefined>
  /** A node has told its head, and this is what ends with it; the same object where nothing has changed. */
  readonly onWindow: (window: ChainWindow) => void
  /** A round has failed; the next one follows by itself. */
  readonly onFailure: (why: unknown) => void
}

export interface ChainFollower {
  /** Resolves when the first round has succeeded or failed. */
  readonly begun: Promise<void>
  /** Leaves the heads and cancels what is asked. */
  stop(): void
}

/** All in ms. */
const soonest = 250
const latest = 15_000
const onDemandPoll = 1_000
const quietest = 5_000
const longestResubscribe = 300_000
/** However rare blocks are said to be: the subscription may have died in silence. */
const longestQuiet = 60_000

/**
 * Keeps a window at the head of its chain, a round at a time: for each head that is pushed, and else when the next one is
 * due. A head below the window's is believed when a node has told it that was asked once more: until then it may only be
 * behind, and pushes may come out of order.
 */
export function followChain(options: FollowOptions): ChainFollower {
  const { handler, reader, clock, timeoutMs, limit, percentiles, blocksOnDemand } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let before: ChainWindow | undefined
  let window: ChainWindow | undefined
  let seenAt = 0
  let pushed: Head | undefined
  let isBusy = false
  let failures = 0
  let lowerHeads = 0
  let subscription: Subscription | undefined
  let resubscribeMs = quietest
  let stopTimer = (): void => {}
  let stopSubscribing = (): void => {}

  async function round(): Promise<void> {
    isBusy = true
    stopTimer()
    try {
      do {
        const told = pushed
        pushed = undefined
        await reach(told ?? (await askHead()), told !== undefined)
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
      window = await withBlockTime(reached, reader, signal)
      seenAt = clock.now()
    }
    lowerHeads = 0
    if (!signal.aborted) options.onWindow(window)
  }

  function waitMs(): number {
    const blockTimeMs = window === undefined || blocksOnDemand ? undefined : blockTimeOf(window)
    if (failures > 0) return Math.min(soonest * 2 ** failures, quietest)
    if (lowerHeads > 0) return soonest
    if (subscription !== undefined) return Math.min(Math.max(quietest, 2 * (blockTimeMs ?? 0)), longestQuiet)
    if (window === undefined || blockTimeMs === undefined) return onDemandPoll
    const sinceBlock = Math.max(clock.now() - seenAt, clock.date() - window.marks.at(-1)!.timestamp * 1_000)
    const margin = blockTimeMs / 8
    return Math.min(Math.max(blockTimeMs - sinceBlock + margin, margin, soonest), latest)
  }

  async function follow(): Promise<void> {
    let hasEnded = false
    const onEnd = (): void => {
      hasEnded = true
      subscription = undefined
      if (signal.aborted) return
      subscribeLater()
      if (!isBusy) void round()
    }
    try {
      const opened = await subscribe(
        handler,
        'eth_subscribe',
        ['newHeads'],
        { onEvent: onHead, onGap: () => onHead(undefined), onEnd },
        { signal, clock, timeoutMs },
      )
      if (signal.aborted) return opened.unsubscribe()
      if (hasEnded) return
      subscription = opened
      resubscribeMs = quietest
    } catch {
      // Most often the transport carries none; polling costs little more.
      if (!signal.aborted) subscribeLater()
    }
  }

  function subscribeLater(): void {
    stopSubscribing = clock.after(resubscribeMs, () => void follow())
    resubscribeMs = Math.min(resubscribeMs * 2, longestResubscribe)
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
    if (!signal.aborted) void follow()
  }

  return {
    begun: begin(),
    stop() {
      stopping.abort()
      stopTimer()
      stopSubscribing()
      subscription?.unsubscribe()
    },
  }
}
