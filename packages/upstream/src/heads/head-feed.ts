import { type Clock, type RawJson, RpcError } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { Asker } from './ask.ts'
import type { HeadReader } from './head-reader.ts'
import type { Header } from './position.ts'

/** Heads that one endpoint pushes. */
export interface HeadFeed {
  /** Whether a subscription is open. */
  readonly isOpen: boolean
  stop(): void
}

export interface HeadFeedOptions {
  readonly endpoint: Endpoint
  readonly reader: HeadReader
  readonly asker: Asker
  readonly clock: Clock
  readonly onHeader: (header: Header, raw: RawJson) => void
  /** Called when heads may have been missed: after a gap, and when an open subscription has ended. */
  readonly onLoss: (hasEnded: boolean) => void
}

/** Waiting times before subscribing again, in ms: doubled each time, and short again after a subscription that held. */
const soonestMs = 1_000
const latestMs = 60_000
const heldMs = 60_000

/** Subscribes to new heads, and again after each end; undefined where the endpoint or its family does not push. */
export function openHeadFeed(options: HeadFeedOptions): HeadFeed | undefined {
  const { endpoint, reader, asker, clock, onHeader, onLoss } = options
  const { newHeads } = reader
  if (!endpoint.carriesSubscriptions || newHeads === undefined || reader.positionOfPush === undefined) return undefined
  let unsubscribe: (() => void) | undefined
  let isStopped = false
  let waitMs = soonestMs
  let stopTimer = (): void => {}

  async function open(): Promise<void> {
    try {
      const response = await asker.ask(endpoint, 'newHeads', newHeads!)
      const subscription = response.error === undefined ? response.subscription : undefined
      if (subscription === undefined) throw new RpcError('unavailable', 'no subscription to new heads was opened')
      const openedAt = clock.now()
      let isOver = false
      const leave = subscription.open({
        event(_method, item) {
          const header = isStopped ? undefined : reader.positionOfPush!(item)
          if (header !== undefined) onHeader(header, item)
          return true
        },
        gap: () => {
          if (!isStopped) onLoss(false)
        },
        end() {
          isOver = true
          unsubscribe = undefined
          if (isStopped) return
          if (clock.now() - openedAt >= heldMs) waitMs = soonestMs
          openLater()
          onLoss(true)
        },
      })
      if (isStopped) leave()
      else if (!isOver) unsubscribe = leave
    } catch {
      // Polling goes on meanwhile.
      if (!isStopped) openLater()
    }
  }

  function openLater(): void {
    stopTimer = clock.after(waitMs, () => void open())
    waitMs = Math.min(waitMs * 2, latestMs)
  }

  void open()
  return {
    get isOpen() {
      return unsubscribe !== undefined
    },
    stop() {
      isStopped = true
      stopTimer()
      unsubscribe?.()
    },
  }
}
