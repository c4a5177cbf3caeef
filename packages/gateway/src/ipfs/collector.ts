import { IpfsError } from '@wayleave/ipfs-http'
import { type IpfsBackend, type PinLedger, pinnedRoots } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import type { Metrics } from '../telemetry/metrics.ts'
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
  readonly metrics: Pick<Metrics, 'ipfsCollectionFailed'>
}

/** The collector of content that no project pins. */
export interface Collector {
  /** Why the last run removed nothing; undefined where it did its work. */
  failure(): string | undefined
  /** Ends it, and waits for the run at hand. */
  close(): Promise<void>
}

/** Time to the first run, in ms: a gateway that restarts more often than `everyMs` has to collect, too. */
const firstMs = 600_000
/** How often the space of the disk is looked at, in ms. */
const lookEveryMs = 5_000
/** Rest after a run before one for want of space, as a multiple of its length: the disk has other work. */
const restFactor = 4
/** Time from a run that failed to the next one, in ms: that is likely to fail, too, and each is logged. */
const restAfterFailureMs = 600_000

/**
 * Removes content that no project pins: at most ten minutes after the start, then every `everyMs`, and sooner for want of space or after a
 * run that failed.
 */
export function startCollector(options: CollectorOptions): Collector {
  const { backend, ledger, everyMs, maxUnpinnedBytes, minFreeBytes, clock, log } = options
  const failed = backend.collect && options.metrics.ipfsCollectionFailed()
  let failure: string | undefined
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
    if (isShort || unpinnedBytes > maxUnpinnedBytes || failure !== undefined) await run()
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
      report(undefined)
      if (found !== undefined && found.removed > 0) {
        log.info({ blocks: found.removed, bytes: String(found.bytes) }, 'removed content that no project pins')
      }
      restUntil = clock.now() + restFactor * (clock.now() - begunAt)
    } catch (err) {
      restUntil = clock.now() + restAfterFailureMs
      if (leaving.signal.aborted) return
      report(err instanceof IpfsError ? err.message : 'the log has the reason')
      log.error({ err }, 'content that no project pins could not be removed')
    }
  }

  function report(why: string | undefined): void {
    failure = why
    failed?.set(Number(why !== undefined))
  }

  report(undefined)
  return {
    failure: () => failure,
    async close() {
      leaving.abort()
      await Promise.all(ends.map((end) => end()))
    },
  }
}
