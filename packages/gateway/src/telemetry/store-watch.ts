import type { Clock } from '@wayleave/jsonrpc-core'
import type { StoreFault } from '@wayleave/stores'
import type { Log } from '@wayleave/telemetry'

/** Watches the database of a gateway, and runs the calls to it. */
export interface StoreWatch {
  readonly kind: 'sqlite' | 'postgres'
  /** Why the database cannot be used now, in words that anybody may read; undefined where it can. */
  fault(): string | undefined
  /** Whether calls are tried: also on a full disk. */
  takesCalls(): boolean
  /**
   * Runs a call. While the database cannot be used it rejects at once, and so do calls that wait when that is found out, with an error
   * of code `store_gone`; a call that fails by itself rejects with one of code `store_failed`. Their messages may reach callers. A full
   * disk still serves reads, and often removals: there, each call is tried.
   */
  run<T>(call: () => Promise<T>): Promise<T>
  close(): void
}

export interface StoreWatchOptions {
  readonly kind: StoreWatch['kind']
  /** Writes to the database; rejects where it cannot be used. */
  readonly probe: () => Promise<void>
  readonly clock: Clock
  readonly log: Log
}

/** Time between two probes, in ms. With the deadline below, a fault is told within two seconds. */
const everyMs = 600
/** How long a probe may take, in ms; SQLite waits five seconds for another writer, which is no fault. */
const probeWithinMs = { sqlite: 6_000, postgres: 1_000 } as const
/** After the deadline, in ms: the answer may have come while this process was busy. */
const graceMs = 100

/** Starts to watch. */
export function watchStore({ kind, probe, clock, log }: StoreWatchOptions): StoreWatch {
  /** Faults so far. */
  let faults = 0
  let fault: StoreFault | undefined
  /** A probe that is not over, perhaps since long before the look at hand. */
  let probing: Promise<void> | undefined
  let looking: Promise<void> | undefined
  let isClosed = false
  let stop = clock.after(everyMs, () => void look())
  /** Ends calls that wait. */
  const waiting = new Set<(why: Error) => void>()

  function look(): Promise<void> {
    stop()
    looking ??= lookNow().finally(() => {
      looking = undefined
      if (!isClosed) stop = clock.after(everyMs, () => void look())
    })
    return looking
  }

  async function lookNow(): Promise<void> {
    probing ??= probe().finally(() => (probing = undefined))
    try {
      await within(probing, probeWithinMs[kind], clock)
      if (fault === undefined || isClosed) return
      fault = undefined
      log.warn({ store: kind }, 'the store works again')
    } catch (thrown) {
      if (!isClosed) failed(thrown)
    }
  }

  function failed(thrown: unknown): void {
    const isFirst = fault === undefined
    if (isFirst) faults++
    fault = faultOf(thrown) ?? 'failed'
    if (!takesCalls()) for (const end of waiting) end(gone(fault))
    if (!isFirst) return
    const detail = thrown instanceof Error ? thrown.message : undefined
    log.error({ store: kind, fault, detail }, 'the store cannot be used; calls that need it fail until it works again')
  }

  const takesCalls = (): boolean => fault === undefined || fault === 'full'

  function run<T>(call: () => Promise<T>): Promise<T> {
    if (!takesCalls()) return Promise.reject(gone(fault!))
    return new Promise<T>((resolve, reject) => {
      waiting.add(reject)
      const settle = (): void => void waiting.delete(reject)
      const before = faults
      call()
        .catch((thrown: unknown) => explain(thrown, before))
        .then(resolve, reject)
        .finally(settle)
    })
  }

  /** Finds out whether a failure is one call's or the whole database's. `before`: the faults of the database before the call began. */
  async function explain(thrown: unknown, before: number): Promise<never> {
    const own = faultOf(thrown)
    if (own === undefined || isClosed) throw thrown
    await looking
    if (fault === undefined) await look()
    // A fault that ended meanwhile was the call's, too.
    if (fault !== undefined || faults > before) throw gone(fault ?? own)
    const { message } = thrown as Error
    log.warn({ store: kind, fault: own, detail: message }, 'a call to the store failed, though the store works')
    throw unusable('store_failed', own)
  }

  return {
    kind,
    fault: () => fault && faultWords[fault],
    takesCalls,
    run,
    close() {
      isClosed = true
      stop()
    },
  }
}

/** Each fault in words that anybody may read. */
export const faultWords: Readonly<Record<StoreFault, string>> = {
  deleted: 'its file was deleted',
  replaced: 'another file stands in the place of its file',
  overwritten: 'its file was overwritten',
  truncated: 'its file was truncated',
  log_deleted: 'the log of its file was deleted',
  busy: 'another process keeps writing to its file',
  unreachable: 'its server cannot be reached',
  refused: 'its server refuses the gateway',
  silent: 'it does not answer',
  full: 'its disk is full',
  read_only: 'it takes no writes',
  damaged: 'it is damaged',
  failed: 'it fails',
}

function gone(fault: StoreFault): Error {
  return unusable('store_gone', fault)
}

function unusable(code: 'store_gone' | 'store_failed', fault: StoreFault): Error {
  return Object.assign(new Error(`the store cannot be used now: ${faultWords[fault]}`), { code })
}

/** The fault of an error of the stores, or of a probe that took too long. */
function faultOf(thrown: unknown): StoreFault | undefined {
  return (thrown as { readonly fault?: StoreFault } | undefined)?.fault
}

/** @throws an error of fault `silent` */
function within(work: Promise<void>, ms: number, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(Object.assign(new Error('no answer in time'), { fault: 'silent' }))
    let stop = clock.after(ms, () => (stop = clock.after(graceMs, late)))
    void work.then(resolve, reject).finally(() => stop())
  })
}
