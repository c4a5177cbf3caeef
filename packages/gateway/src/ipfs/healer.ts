import { createPinHealer, type ComparedPins, type IpfsBackend, type PinLedger } from '@wayleave/ipfs-http/server'
import type { Clock } from '@wayleave/jsonrpc-core'
import { errorClass, type Log } from '@wayleave/telemetry'

export interface HealerOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly clock: Clock
  readonly log: Log
}

/** Time between two looks at leases that have expired, and before a comparison that failed goes on, in ms. */
const everyMs = 30_000
/** Longest step of the backend, in ms. */
const timeoutMs = 60_000
/** Pins between two lines of progress. */
const pinsPerLine = 10_000

/**
 * Compares, once after the start, the pins of the ledger with those of a backend that keeps its own, and settles what processes that died have
 * left. All runs beside the service. Returns the function that ends it and waits for the work at hand.
 */
export function startHealer({ backend, ledger, clock, log }: HealerOptions): () => Promise<void> {
  const leaving = new AbortController()
  const { signal } = leaving
  const healer = createPinHealer({ backend, ledger, clock, timeoutMs, signal })
  if (healer === undefined) return async () => {}
  const { compare, settleExpired } = healer
  let reportedAt = 0

  /** Repeats work after each pause until it says that it is done, or the service ends. */
  function repeat(work: () => Promise<boolean>): () => Promise<void> {
    let running = run()
    let stop = (): void => {}
    async function run(): Promise<void> {
      let isDone = false
      try {
        isDone = await work()
      } catch (err) {
        if (!signal.aborted) log.repeats.error(['ipfs-heal', errorClass(err)], { err }, 'pins could not be compared')
      }
      if (!isDone && !signal.aborted) stop = clock.after(everyMs, () => void (running = run()))
    }
    return async () => {
      stop()
      await running
    }
  }

  async function compareOnce(): Promise<boolean> {
    const so = await compare(reportProgress)
    if (so.pinned > 0 || so.lacking > 0) log.warn({ ...so }, 'pins that the IPFS node lacked were pinned again')
    else log.debug({ ...so }, 'the IPFS node has all pins')
    return true
  }

  async function settle(): Promise<boolean> {
    await settleExpired()
    return false
  }

  function reportProgress(so: ComparedPins): void {
    if (so.pins < reportedAt + pinsPerLine) return
    reportedAt = so.pins
    log.info({ ...so }, 'comparing pins with the IPFS node')
  }

  const ends = [repeat(settle), repeat(compareOnce)]
  return async () => {
    leaving.abort()
    await Promise.all(ends.map((end) => end()))
  }
}
