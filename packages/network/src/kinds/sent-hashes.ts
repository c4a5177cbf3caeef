import type { Hash } from '@wayleave/evm-types'
import type { Write } from '@wayleave/upstream'

/** The transactions of one network that nodes may have, of which no other call says that they failed. */
export interface SentHashes {
  /** Begins a call that sends a transaction. `tenant`: the project it is for. */
  call(hash: Hash, tenant: string | undefined): Pick<Write, 'mayBeDone' | 'begin' | 'end'>
}

/** Transactions that are remembered. */
const mostRemembered = 10_000

/** Creates the memory of one process. Where it is full, the tenant that has the most transactions in it loses its oldest one. */
export function createSentHashes(most: number = mostRemembered): SentHashes {
  /** Calls on their way, by the transaction that they have sent. */
  const open = new Map<Hash, number>()
  /** The tenant whose call remembered a transaction last. */
  const tenantOf = new Map<Hash, string | undefined>()
  /** Its transactions; the last one comes last. */
  const ofTenant = new Map<string | undefined, Set<Hash>>()

  function forget(hash: Hash): void {
    const tenant = tenantOf.get(hash)
    const own = ofTenant.get(tenant)
    tenantOf.delete(hash)
    own?.delete(hash)
    if (own?.size === 0) ofTenant.delete(tenant)
  }

  function remember(hash: Hash, tenant: string | undefined): void {
    forget(hash)
    if (tenantOf.size >= most) {
      let largest: ReadonlySet<Hash> = new Set()
      for (const own of ofTenant.values()) if (own.size > largest.size) largest = own
      for (const oldest of largest) {
        forget(oldest)
        break
      }
    }
    tenantOf.set(hash, tenant)
    const own = ofTenant.get(tenant)
    if (own === undefined) ofTenant.set(tenant, new Set([hash]))
    else own.add(hash)
  }

  return {
    call(hash, tenant) {
      let hasBegun = false
      const ownCalls = (): number => (hasBegun ? 1 : 0)
      return {
        mayBeDone: () => tenantOf.has(hash) || (open.get(hash) ?? 0) > ownCalls(),
        begin() {
          if (hasBegun) return
          hasBegun = true
          open.set(hash, (open.get(hash) ?? 0) + 1)
        },
        end(isRefused) {
          if (!hasBegun) return
          const others = open.get(hash)! - 1
          if (others > 0) open.set(hash, others)
          else open.delete(hash)
          if (!isRefused) remember(hash, tenant)
        },
      }
    },
  }
}
