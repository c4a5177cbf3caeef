import { type IpfsBackend, type PinLedger, pinnedRoots } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '../ops/log.ts'

export interface CollectorOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly everyMs: number
  readonly clock: Clock
  readonly log: Log
}

/** Time to the first run, in ms: a gateway that restarts more often than `everyMs` has to collect, too. */
const firstMs = 600_000

/**
 * Removes content that no project pins: at most ten minutes after the start, and then every `everyMs`. Returns the function that ends
 * it and waits for the run at hand.
 */
export function startCollector({ backend, ledger, everyMs, clock, log }: CollectorOptions): () => Promise<void> {
  const leaving = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let stop = schedule(Math.min(everyMs, firstMs))

  function schedule(ms: number): () => void {
    return clock.after(ms, () => {
      running = collect().finally(() => {
        if (!leaving.signal.aborted) stop = schedule(everyMs)
      })
    })
  }

  async function collect(): Promise<void> {
    try {
      const found = await backend.collect?.(() => pinnedRoots(ledger), { signal: leaving.signal })
      if (found !== undefined && found.removed > 0) {
        log.info({ blocks: found.removed, bytes: String(found.bytes) }, 'removed content that no project pins')
      }
    } catch (err) {
      if (!leaving.signal.aborted) log.error({ err }, 'content that no project pins could not be removed')
    }
  }

  return async () => {
    leaving.abort()
    stop()
    await running
  }
}
