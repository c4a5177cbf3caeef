import { type Clock, rawJsonFromValue, type RawJson, type RpcError, type RpcSink } from '@wayleave/jsonrpc-core'
import { hex } from './quantity.ts'

/** How far a chain is followed that is not at its end: heights of blocks. */
export interface SyncProgress {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** Options of {@link createSyncStatus}. */
export interface SyncStatusOptions {
  /** Gives the progress; undefined where the end of the chain is followed. */
  readonly progress: () => SyncProgress | undefined
  readonly clock: Clock
}

/** Tells sinks of `syncing` how the chain stands, as geth does. */
export interface SyncStatus {
  /** Tells the status at once, and then each change between synced and not. Returns a function that leaves. */
  join(sink: RpcSink): () => void
  /** Ends all sinks with `why`. */
  close(why: RpcError): void
}

/** Time from look to look, in ms. */
const lookEveryMs = 1_000
const event = 'eth_subscription'

/** Creates the status. No timer runs while nobody is there. */
export function createSyncStatus({ progress, clock }: SyncStatusOptions): SyncStatus {
  const sinks = new Set<{ readonly sink: RpcSink }>()
  let isSynced = true
  let stop: (() => void) | undefined

  function look(): void {
    stop = clock.after(lookEveryMs, look)
    const now = progress()
    if ((now === undefined) === isSynced) return
    isSynced = now === undefined
    const reported = statusOf(now)
    const present = [...sinks]
    for (const each of present) if (sinks.has(each)) each.sink.event(event, reported)
  }

  return {
    join(sink) {
      const own = { sink }
      sinks.add(own)
      const now = progress()
      if (stop === undefined) {
        isSynced = now === undefined
        stop = clock.after(lookEveryMs, look)
      }
      // The others are told of a change at the next look.
      sink.event(event, statusOf(isSynced ? undefined : now))
      return () => {
        if (!sinks.delete(own) || sinks.size > 0) return
        stop?.()
        stop = undefined
      }
    },
    close(why) {
      stop?.()
      stop = undefined
      const left = [...sinks]
      sinks.clear()
      for (const { sink } of left) sink.end(why)
    },
  }
}

/** `false`, or the progress in geth's form. Source: go-ethereum, eth/downloader/api.go. */
function statusOf(progress: SyncProgress | undefined): RawJson {
  if (progress === undefined) return rawJsonFromValue(false)
  const status = Object.entries(progress).map(([name, height]) => [name, hex(Number(height))])
  return rawJsonFromValue({ syncing: true, status: Object.fromEntries(status) as object })
}
