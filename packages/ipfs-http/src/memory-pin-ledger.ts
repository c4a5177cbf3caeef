import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import { IpfsError } from './error.ts'
import { createMemoryLeases } from './memory-pin-leases.ts'
import type { IpfsUsage, Pin, PinLedger } from './pin-ledger.ts'

export interface MemoryPinLedgerOptions {
  /** Most pins of all projects together. Default 1,000,000. */
  readonly maxPins?: number | undefined
  readonly clock?: Clock | undefined
}

interface Project {
  readonly pins: Map<string, Pin>
  storedBytes: bigint
  /** Transfers of the newest month that had any. */
  moved: { readonly month: string; readonly uploadedBytes: bigint; readonly downloadedBytes: bigint }
}

const nothing = { month: '', uploadedBytes: 0n, downloadedBytes: 0n }

/**
 * Keeps pins in memory: for tests, and for a service that may forget. It knows the transfers of each project for the newest
 * month alone. Throws `too_large` beyond its bound.
 */
export function createMemoryPinLedger({
  maxPins = 1_000_000,
  clock = systemClock,
}: MemoryPinLedgerOptions = {}): PinLedger {
  const projects = new Map<string, Project>()
  /** The number of pins of each CID, and of recursive ones among them. */
  const held = new Map<string, { pins: number; recursive: number }>()
  let pins = 0
  let boundStore: string | undefined

  function project(id: string): Project {
    let found = projects.get(id)
    if (found === undefined) projects.set(id, (found = { pins: new Map(), storedBytes: 0n, moved: nothing }))
    return found
  }

  function count({ cid, type }: Pin, by: 1 | -1): void {
    const holders = held.get(cid) ?? { pins: 0, recursive: 0 }
    holders.pins += by
    if (type === 'recursive') holders.recursive += by
    if (holders.pins === 0) held.delete(cid)
    else held.set(cid, holders)
    pins += by
  }

  function drop(owner: Project, pin: Pin): void {
    owner.pins.delete(pin.cid)
    owner.storedBytes -= pin.bytes
    count(pin, -1)
  }

  function keep(owner: Project, pin: Pin): void {
    owner.pins.set(pin.cid, pin)
    owner.storedBytes += pin.bytes
    count(pin, 1)
  }

  /** Whether there is space for a pin once those of `gone` are removed. */
  function fits(owner: Project, pin: Pin, gone: readonly Pin[], maxStoredBytes: bigint | undefined): boolean {
    if (pins + 1 - gone.length > maxPins) throw new IpfsError('too_large', `this ledger holds ${maxPins} pins at most`)
    const after = gone.reduce((sum, { bytes }) => sum - bytes, owner.storedBytes + pin.bytes)
    // A bound may have been lowered since. Pins beyond it stay, and may be replaced by others that are no larger.
    return maxStoredBytes === undefined || after <= maxStoredBytes || after <= owner.storedBytes
  }

  function typeOf(cid: string): Pin['type'] | undefined {
    const holders = held.get(cid)
    return holders && (holders.recursive > 0 ? 'recursive' : 'direct')
  }

  return {
    ...createMemoryLeases(typeOf, clock),
    async put(id, pin, { maxStoredBytes } = {}) {
      const owner = project(id)
      const before = owner.pins.get(pin.cid)
      if (!fits(owner, pin, before === undefined ? [] : [before], maxStoredBytes)) return 'quota'
      if (before !== undefined) drop(owner, before)
      keep(owner, pin)
      return 'put'
    },
    async get(id, cid) {
      return projects.get(id)?.pins.get(cid)
    },
    async isPinned(cid) {
      return held.has(cid)
    },
    async holders(cid, limit) {
      const ids = [...projects].flatMap(([id, owner]) => (owner.pins.has(cid) ? [id] : []))
      return ids.toSorted().slice(0, limit)
    },
    async remove(id, cid) {
      const owner = projects.get(id)
      const pin = owner?.pins.get(cid)
      if (owner === undefined || pin === undefined) return false
      drop(owner, pin)
      return true
    },
    async replace(id, from, to, { keep: keepsOld = false, maxStoredBytes } = {}) {
      const owner = project(id)
      const old = owner.pins.get(from)
      if (old === undefined) return undefined
      const before = owner.pins.get(to.cid)
      const gone = [...new Set([...(keepsOld ? [] : [old]), ...(before === undefined ? [] : [before])])]
      if (!fits(owner, to, gone, maxStoredBytes)) return 'quota'
      for (const pin of gone) drop(owner, pin)
      keep(owner, to)
      return 'replaced'
    },
    async list(id, options) {
      return page(projects.get(id)?.pins.values() ?? [], options)
    },
    async roots(options) {
      const all = [...held].map(([cid, { recursive }]) => ({ cid, recursive: recursive > 0 }))
      return page(all, options)
    },
    async charge(id, month, { uploadedBytes = 0n, downloadedBytes = 0n }) {
      const owner = project(id)
      if (month < owner.moved.month) return
      const moved = owner.moved.month === month ? owner.moved : { ...nothing, month }
      owner.moved = {
        month,
        uploadedBytes: moved.uploadedBytes + uploadedBytes,
        downloadedBytes: moved.downloadedBytes + downloadedBytes,
      }
    },
    async usage(id, month): Promise<IpfsUsage> {
      const owner = projects.get(id)
      const { uploadedBytes, downloadedBytes } = owner?.moved.month === month ? owner.moved : nothing
      return { storedBytes: owner?.storedBytes ?? 0n, uploadedBytes, downloadedBytes }
    },
    async bindStore(store) {
      return (boundStore ??= store)
    },
  }
}

function page<T extends { readonly cid: string }>(
  all: Iterable<T>,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): readonly T[] {
  const rest = [...all].filter(({ cid }) => after === undefined || cid > after)
  return rest.toSorted((a, b) => (a.cid < b.cid ? -1 : 1)).slice(0, limit)
}
