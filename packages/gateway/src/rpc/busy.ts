import type { FairShare } from '@wayleave/upstream'

/** Counts what a network has under way, so that it is closed when all of it has ended. */
export interface Busy {
  /** The share, counting the calls that hold a part of it. */
  readonly calls: FairShare
  readonly isBusy: boolean
  /** Notes a call that may wait before it takes its share, until the returned function is called. */
  enter(): () => void
}

export function createBusy(calls: FairShare): Busy {
  let count = 0
  const leave = (): void => void count--
  return {
    calls: {
      capacity: calls.capacity,
      get free() {
        return calls.free
      },
      take(tenant, amount, reserve) {
        const isTaken = calls.take(tenant, amount, reserve)
        if (isTaken) count += amount
        return isTaken
      },
      give(tenant, amount) {
        count -= amount
        calls.give(tenant, amount)
      },
      held: (tenant) => calls.held(tenant),
    },
    get isBusy() {
      return count > 0
    },
    enter() {
      count++
      return leave
    },
  }
}
