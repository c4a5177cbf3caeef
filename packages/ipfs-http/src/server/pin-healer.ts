import { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
import type { PinnedRoot } from '../backend.ts'
import { pinnedRoots } from '../pinned-roots.ts'
import { createPinLeases, createWithin, type PinLeasesOptions } from './pin-leases.ts'

/** The counts of a comparison. */
export interface ComparedPins {
  readonly pins: number
  /** Pins that the backend lacked and has again. */
  readonly pinned: number
  /** Pins that it still lacks: their content could not be had. */
  readonly lacking: number
}

/** Mends the pins of a backend that keeps pins of its own, after processes have died. */
export interface PinHealer {
  /** Settles the CIDs whose leases have expired. Resolves with their number. */
  settleExpired(): Promise<number>
  /**
   * Has the backend pin all that the ledger has and the backend lacks. Pins that the ledger does not have stay, as they may be another's.
   * @throws IpfsError where the backend or the ledger cannot be asked
   */
  compare(onProgress?: (so: ComparedPins) => void): Promise<ComparedPins>
}

export interface PinHealerOptions extends PinLeasesOptions {
  /** Ends the work at hand: both methods reject then. */
  readonly signal: AbortSignal
}

/** CIDs that are settled at once. */
const lanes = 4
/** CIDs of expired leases that are read at once. */
const pageSize = 100

/** Creates the healer; undefined for a backend whose collections are given the pins. */
export function createPinHealer(options: PinHealerOptions): PinHealer | undefined {
  const { backend, ledger, signal } = options
  if (backend.isHeld === undefined) return undefined
  const isHeld = backend.isHeld.bind(backend)
  const leases = createPinLeases(options)
  const within = createWithin(options.clock, signal)

  return {
    async settleExpired() {
      const cids = await ledger.expiredLeases(pageSize)
      for (const cid of cids) {
        throwIfAborted(signal)
        // Its lease expires again, and so it is tried again.
        await leases.settle(CID.parse(cid)).catch(() => {})
      }
      return cids.length
    },

    async compare(onProgress = () => {}) {
      const so = { pins: 0, pinned: 0, lacking: 0 }
      const roots = pinnedRoots(ledger)
      async function settle({ cid, recursive }: PinnedRoot): Promise<void> {
        if (!(await within(options.timeoutMs, (call) => isHeld(cid, { recursive }, call)))) {
          const isPinned = await leases.settle(cid).then(
            () => true,
            () => false,
          )
          if (isPinned) so.pinned++
          else so.lacking++
        }
        so.pins++
        onProgress({ ...so })
      }
      async function work(): Promise<void> {
        for (let next = await roots.next(); next.done !== true; next = await roots.next()) {
          throwIfAborted(signal)
          await settle(next.value)
        }
      }
      const stopped = async (thrown: unknown): Promise<void> => {
        await roots.return(undefined)
        throw thrown
      }
      await Promise.all(Array.from({ length: lanes }, () => work().catch(stopped)))
      return so
    },
  }
}
