/**
 * A capacity that lanes share. A lane is an opaque name, such as that of a project; undefined is the host itself, which has no share.
 * A lane may take more while it holds less than nine times what is free (Choudhury and Hahne, *Dynamic queue length thresholds*, 1998).
 * So one lane alone has nine tenths, n greedy lanes have 9 / (9n + 1) each, and a lane that holds nothing finds something free.
 */
export interface FairShare {
  readonly capacity: number
  /** The amount that is held by no lane. */
  readonly free: number
  /** Takes `amount` for a lane, and leaves `reserve` to others; false where the lane may not have it: nothing is taken then. */
  take(lane: string | undefined, amount: number, reserve?: number): boolean
  /** Takes back what was taken. */
  give(lane: string | undefined, amount: number): void
  /** The amount that a lane holds. */
  held(lane: string | undefined): number
}

/** A lane's part of what is free. */
const partOfFree = 9

/** Entries of lanes that hold nothing and are kept: to make one for each call costs more than the rest of it. */
const mostIdle = 64

/** Creates a share of `capacity`, in any unit. It holds an entry for each lane that holds something, and for a few others. */
export function createFairShare(capacity: number): FairShare {
  const lanes = new Map<string | undefined, number>()
  let free = capacity
  return {
    capacity,
    get free() {
      return free
    },
    take(lane, amount, reserve = 0) {
      const left = free - reserve
      if (amount > left) return false
      const held = lanes.get(lane) ?? 0
      if (lane !== undefined && held >= partOfFree * left) return false
      free -= amount
      lanes.set(lane, held + amount)
      return true
    },
    give(lane, amount) {
      free += amount
      const held = (lanes.get(lane) ?? 0) - amount
      if (held > 0 || lanes.size <= mostIdle) lanes.set(lane, held)
      else lanes.delete(lane)
    },
    held: (lane) => lanes.get(lane) ?? 0,
  }
}
