import type { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
import type { BackendCall, IpfsBackend } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { randomText } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import type { Pin, PinLedger } from '../pin-ledger.ts'

/** A CID that a call has the backend pin. A row of the ledger may be stored until it ends. */
export interface PinLease {
  /** Ends it after a row was stored and the backend has confirmed its pin. Where the lease was lost meanwhile, the backend confirms again. */
  keep(): Promise<void>
  /** Ends it after a failure: the backend forgets the CID, or holds it again where a project pins it. */
  drop(lost?: LostPin): Promise<void>
  /** Lets it expire, for a healer to settle the CID: the backend is not asked. */
  leave(): Promise<void>
}

/** A pin that a project has no more. `bytes`: as of `release` of the backend. */
interface LostPin {
  readonly type?: Pin['type'] | undefined
  readonly bytes?: bigint | undefined
}

/**
 * Orders the pins and releases of one CID among all processes of a ledger, where the backend keeps pins of its own: a row is stored only while
 * the CID is leased, and released only while nobody else has a lease. The ledger has no transaction open while the backend works.
 */
export interface PinLeases {
  /** Waits until nobody releases a CID, and leases it. To be called before the backend is asked for the pin that is to be confirmed. */
  begin(cid: CID, signal: AbortSignal): Promise<PinLease>
  /** Has the backend forget a CID that no project pins, even after the caller has left. Others who pin it now look after it. */
  release(cid: CID, lost: LostPin): Promise<void>
  /** As `release`, after a failure: where a project pins the CID, the backend is asked to hold it again, as it may have lost its pin. */
  settle(cid: CID, lost?: LostPin): Promise<void>
  /** Leaves it to a healer to settle a CID: the backend is not asked. */
  leave(cid: CID): Promise<void>
}

export interface PinLeasesOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly clock: Clock
  /** Longest wait for one step of the backend, and for the lease of a CID, in ms. */
  readonly timeoutMs: number
  /** Ends all work. Its leases are left to expire. */
  readonly signal?: AbortSignal | undefined
}

/** How long the CIDs of a process that died stay leased, in ms. Shorter than what a call waits for a lease. */
const leaseMs = 30_000
/**
 * Longest call of the backend that unpins, in ms. A call that is cut off then may still take effect there: the rest of the lease is for that,
 * as no other may pin meanwhile.
 */
const releaseMs = leaseMs / 2
/** First and longest wait before a lease is asked for again, in ms. */
const firstWaitMs = 5
const longestWaitMs = 200

export function createPinLeases(options: PinLeasesOptions): PinLeases {
  const { backend, ledger, clock, timeoutMs } = options
  const within = createWithin(clock, options.signal)
  if (backend.collect !== undefined) return withoutLeases(options)

  /** Leases a CID and renews that until the returned function is called. */
  async function leasePinning(cid: string, holder: string, signal: AbortSignal | undefined): Promise<() => void> {
    const until = clock.now() + timeoutMs
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      if ((await ledger.lease(cid, holder, 'pinning', leaseMs)) === 'leased') return renewing(cid, holder)
      if (signal !== undefined) throwIfAborted(signal)
      if (clock.now() >= until)
        throw new IpfsError('unavailable', `${cid} is being unpinned; try again in a few seconds`)
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
    }
  }

  function renewing(cid: string, holder: string): () => void {
    let stop = schedule()
    let isOver = false
    function schedule(): () => void {
      return clock.after(leaseMs / 3, () => {
        // A lease that could not be renewed may be lost, which its end tells.
        void ledger
          .renewLease(cid, holder, leaseMs)
          .catch(() => {})
          .then(() => {
            if (!isOver) stop = schedule()
          })
      })
    }
    return () => {
      isOver = true
      stop()
    }
  }

  /** Ends the lease of a holder, if it has one, by what the ledger says now. Not sure: the backend may lack a pin that projects have. */
  async function conclude(cid: CID, holder: string, lost: LostPin, isSure: boolean): Promise<void> {
    const text = String(cid)
    for (let isInDoubt = !isSure; ;) {
      const found = await within(releaseMs, async (call) => {
        const result = await ledger.lease(text, holder, 'releasing', leaseMs)
        if (result === 'leased') await backend.release(cid, releaseOf(lost), call)
        return result
      })
      if (found === 'busy' && isInDoubt) {
        // Other calls pin it, and may have been confirmed too early: a lease that has expired has it looked at once they are done.
        await ledger.lease(text, holder, 'pinning', 0)
        return
      }
      const isKept = found === 'recursive' || found === 'direct'
      if (isKept && isInDoubt) await holdAgain(cid, holder, found)
      const end = await ledger.endLease(text, holder)
      const hadNone = end === 'lost' && found !== 'leased' && !isInDoubt
      if (end === 'ended' || hadNone) return
      // After a lost lease, others may have pinned before the backend was done, or unpinned after it.
      isInDoubt ||= end === 'lost'
    }
  }

  async function holdAgain(cid: CID, holder: string, type: Pin['type']): Promise<void> {
    const stop = await leasePinning(String(cid), holder, options.signal)
    await within(timeoutMs, async (call) => {
      for await (const _ of backend.hold(cid, { recursive: type === 'recursive' }, call)) continue
    }).finally(stop)
  }

  return {
    async begin(cid, signal) {
      const holder = randomText()
      const stop = await leasePinning(String(cid), holder, signal)
      return {
        async keep() {
          stop()
          const end = await ledger.endLease(String(cid), holder)
          if (end !== 'ended') await conclude(cid, holder, {}, end === 'unpinned')
        },
        async drop(lost = {}) {
          stop()
          await conclude(cid, holder, lost, false)
        },
        leave: async () => stop(),
      }
    },
    release: (cid, lost) => conclude(cid, randomText(), lost, true),
    settle: (cid, lost = {}) => conclude(cid, randomText(), lost, false),
    leave: async (cid) => void (await ledger.lease(String(cid), randomText(), 'pinning', 0)),
  }
}

/** The backend is told of pins by its collections, so there is nothing to order. */
function withoutLeases({ backend, ledger, clock, timeoutMs, signal }: PinLeasesOptions): PinLeases {
  const within = createWithin(clock, signal)
  const leave = async (): Promise<void> => {}
  const settle = async (cid: CID, lost: LostPin = {}): Promise<void> => {
    if (await ledger.isPinned(String(cid))) return
    await within(timeoutMs, (call) => backend.release(cid, releaseOf(lost), call))
  }
  return {
    begin: async (cid) => ({ keep: leave, drop: (lost) => settle(cid, lost), leave }),
    release: settle,
    settle,
    leave,
  }
}

function releaseOf({ type, bytes }: LostPin): Parameters<IpfsBackend['release']>[1] {
  return { recursive: type !== 'direct', bytes }
}

/** Creates the function that runs work which goes on after the caller has left, for `ms` milliseconds at most. */
export function createWithin(
  clock: Clock,
  signal: AbortSignal | undefined,
): <T>(ms: number, work: (call: BackendCall) => Promise<T>) => Promise<T> {
  return async (ms, work) => {
    if (signal !== undefined) throwIfAborted(signal)
    const controller = new AbortController()
    const leave = (): void => controller.abort(signal?.reason)
    const stop = clock.after(ms, () => controller.abort(new IpfsError('timeout', 'context deadline exceeded')))
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await work({ signal: controller.signal })
    } finally {
      stop()
      signal?.removeEventListener('abort', leave)
    }
  }
}
