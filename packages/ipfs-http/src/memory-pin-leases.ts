import type { Clock } from './clock.ts'
import type { Pin, PinLedger } from './pin-ledger.ts'

interface Lease {
  readonly kind: 'pinning' | 'releasing'
  readonly expiresAt: number
}

/** Keeps the leases of a ledger in memory. `typeOf` tells the widest pin that any project has of a CID. */
export function createMemoryLeases(
  typeOf: (cid: string) => Pin['type'] | undefined,
  clock: Clock,
): Pick<PinLedger, 'lease' | 'renewLease' | 'endLease' | 'expiredLeases'> {
  /** By CID and holder. */
  const leases = new Map<string, Map<string, Lease>>()

  function hasExpired({ expiresAt }: Lease): boolean {
    return expiresAt <= clock.now()
  }

  function othersOf(cid: string, holder: string): readonly Lease[] {
    return [...(leases.get(cid) ?? [])].flatMap(([by, lease]) => (by === holder || hasExpired(lease) ? [] : [lease]))
  }

  return {
    async lease(cid, holder, kind, ms) {
      const type = kind === 'releasing' ? typeOf(cid) : undefined
      if (type !== undefined) return type
      const others = othersOf(cid, holder)
      if (others.some((other) => other.kind === 'releasing' || kind === 'releasing')) return 'busy'
      const live = [...(leases.get(cid) ?? [])].filter(([, lease]) => !hasExpired(lease))
      leases.set(cid, new Map(live).set(holder, { kind, expiresAt: clock.now() + ms }))
      return 'leased'
    },
    async renewLease(cid, holder, ms) {
      const lease = leases.get(cid)?.get(holder)
      if (lease !== undefined) leases.get(cid)!.set(holder, { ...lease, expiresAt: clock.now() + ms })
    },
    async endLease(cid, holder) {
      const ofCid = leases.get(cid)
      const own = ofCid?.get(holder)
      if (ofCid === undefined || own === undefined) return 'lost'
      if (own.kind === 'pinning' && typeOf(cid) === undefined && othersOf(cid, holder).length === 0) return 'unpinned'
      ofCid.delete(holder)
      if (ofCid.size === 0) leases.delete(cid)
      return 'ended'
    },
    async expiredLeases(limit) {
      const expired = [...leases].filter(([, ofCid]) => [...ofCid.values()].some(hasExpired))
      return expired.slice(0, limit).map(([cid]) => cid)
    },
  }
}
