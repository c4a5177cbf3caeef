/**
 * A capacity that tenants share. A tenant is an opaque name, such as that of a project; undefined is the host itself, which has no share.
 * A tenant may take more while it holds less than nine times what is free (Choudhury and Hahne, *Dynamic queue length thresholds*, 1998).
 * So one tenant alone has nine tenths, n greedy tenants have 9 / (9n + 1) each, and a tenant that holds nothing finds something free.
 */
export interface FairShare {
  readonly capacity: number
  /** The amount that is held by no tenant. */
  readonly free: number
  /** Takes `amount` for a tenant, and leaves `reserve` to others; false where the tenant may not have it: nothing is taken then. */
  take(tenant: string | undefined, amount: number, reserve?: number): boolean
  /** Takes back what was taken. */
  give(tenant: string | undefined, amount: number): void
  /** The amount that a tenant holds. */
  held(tenant: string | undefined): number
}

/** A tenant's part of what is free. */
const partOfFree = 9

/** Entries of tenants that hold nothing and are kept: to make one for each call costs more than the rest of it. */
const mostIdle = 64

/** Creates a share of `capacity`, in any unit. It holds an entry for each tenant that holds something, and for a few others. */
export function createFairShare(capacity: number): FairShare {
  const tenants = new Map<string | undefined, number>()
  let free = capacity
  return {
    capacity,
    get free() {
      return free
    },
    take(tenant, amount, reserve = 0) {
      const left = free - reserve
      if (amount > left) return false
      const held = tenants.get(tenant) ?? 0
      if (tenant !== undefined && held >= partOfFree * left) return false
      free -= amount
      tenants.set(tenant, held + amount)
      return true
    },
    give(tenant, amount) {
      free += amount
      const held = (tenants.get(tenant) ?? 0) - amount
      if (held > 0 || tenants.size <= mostIdle) tenants.set(tenant, held)
      else tenants.delete(tenant)
    },
    held: (tenant) => tenants.get(tenant) ?? 0,
  }
}
