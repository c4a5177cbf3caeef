import { CID } from 'multiformats/cid'
import { throwIfAborted } from '../abortable.ts'
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
   * Has the backend pin all that the ledger has and the backend lacks. Pins that the ledger does not have stay, as they may be another's. After a failure
   * the next call goes on where this one ended.
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
/** CIDs that are read at once. */
const pageSize = 100

/** Creates the healer; undefined for a backend whose collections are given the pins. */
export function createPinHealer(options: PinHealerOptions): PinHealer | undefined {
  const { backend, ledger, signal } = options
  if (backend.isHeld === undefined) return undefined
  const isHeld = backend.isHeld.bind(backend)
  const leases = createPinLeases(options)
  const within = createWithin(options.clock, signal)

  /** Does the work for each item, `lanes` at once, and rejects with the first failure once those at hand are done. */
  async function eachInLanes<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const left = items.values()
    let failure: { readonly thrown: unknown } | undefined
    async function lane(): Promise<void> {
      for (const item of left) {
        try {
          throwIfAborted(signal)
          await work(item)
        } catch (thrown) {
          failure ??= { thrown }
        }
        if (failure !== undefined) return
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    if (failure !== undefined) throw failure.thrown
  }

  /** Whether the ledger's owners have the CID pinned again, or not at all. */
  const settled = (cid: CID): Promise<boolean> =>
    leases.settle(cid).then(
      () => true,
      () => false,
    )

  const none: ComparedPins = { pins: 0, pinned: 0, lacking: 0 }
  let so = none
  /** The last CID of the pages that were compared: a comparison that failed goes on behind it. */
  let after: string | undefined

  return {
    async settleExpired() {
      const cids = await ledger.expiredLeases(pageSize)
      // A lease that could not be settled expires again, behind the others.
      await eachInLanes(cids, async (cid) => void (await settled(CID.parse(cid))))
      return cids.length
    },

    async compare(onProgress = () => {}) {
      for (;;) {
        const page = await ledger.roots({ after, limit: pageSize })
        let [pinned, lacking] = [0, 0]
        await eachInLanes(page, async ({ cid: text, recursive }) => {
          const cid = CID.parse(text)
          if (await within(options.timeoutMs, (call) => isHeld(cid, { recursive }, call))) return
          if (await settled(cid)) pinned++
          else lacking++
        })
        so = { pins: so.pins + page.length, pinned: so.pinned + pinned, lacking: so.lacking + lacking }
        onProgress(so)
        after = page.at(-1)?.cid
        if (page.length === pageSize) continue
        const all = so
        so = none
        after = undefined
        return all
      }
    },
  }
}
