import { type IpfsBackend, type PinLedger, pinnedRoots } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { repeat } from '../waits.ts'

export interface CollectorOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly everyMs: number
  /** Unpinned bytes that are collected sooner. */
  readonly maxUnpinnedBytes: number
  /** Bytes that the disk should have left: where it has fewer, what may be removed is removed sooner. */
  readonly minFreeBytes: number
  readonly clock: Clock
  readonly log: Log
}

/** Time to the first run, in ms: a gateway that restarts more often than `everyMs` has to collect, too. */
const firstMs = 600_000
/** How often the space of the disk is looked at, in ms. */
const lookEveryMs = 5_000
/** Rest after a run before one for want of space, as a multiple of its length: the disk has other work. */
const restFactor = 4
/** Rest after a run that failed, in ms: the next one is likely to fail, too, and each is logged. */
const restAfterFailureMs = 600_000

/**
 * Removes content that no project pins: at most ten minutes after the start, then every `everyMs`, and sooner for want of space.
 * Returns the function that ends it and waits for the run at hand.
 */
export function startCollector(options: CollectorOptions): () => Promise<void> {
  const { backend, ledger, everyMs, maxUnpinnedBytes, minFreeBytes, clock, log } = options
  const leaving = new AbortController()
  let running: Promise<void> | undefined
  /** Whether a run has seen the blocks that an earlier process left. */
  let hasRun = false
  /** When a run for want of space may begin. */
  let restUntil = clock.now()
  const ends = [repeat(run, everyMs, clock, Math.min(everyMs, firstMs))]
  if (backend.diskUse !== undefined) ends.push(repeat(look, lookEveryMs, clock))

  async function look(): Promise<void> {
    if (running !== undefined || clock.now() < restUntil) return
    // A disk that cannot tell is for the backend's own calls to report.
    const use = await backend.diskUse?.().catch(() => undefined)
    if (use === undefined || leaving.signal.aborted) return
    const { freeBytes, isFull, unpinnedBytes, hasReleased } = use
    const isShort = freeBytes < minFreeBytes && (unpinnedBytes > 0 || hasReleased || (isFull && !hasRun))
    if (isShort || unpinnedBytes > maxUnpinnedBytes) await run()
  }

  /** Runs a collection, or waits for the one at hand. */
  function run(): Promise<void> {
    running ??= collect().finally(() => {
      running = undefined
    })
    return running
  }

  async function collect(): Promise<void> {
    const begunAt = clock.now()
    try {
      const found = await backend.collect?.(() => pinnedRoots(ledger), { signal: leaving.signal })
      hasRun = true
      if (found !== undefined && found.removed > 0) {
        log.info({ blocks: found.removed, bytes: String(found.bytes) }, 'removed content that no project pins')
      }
      restUntil = clock.now() + restFactor * (clock.now() - begunAt)
    } catch (err) {
      restUntil = clock.now() + restAfterFailureMs
      if (!leaving.signal.aborted) log.error({ err }, 'content that no project pins could not be removed')
    }
  }

  return async () => {
    leaving.abort()
    await Promise.all(ends.map((end) => end()))
  }
}
