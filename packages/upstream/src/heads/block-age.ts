/** The ages of an upstream's blocks, by their timestamps, at the moment when they came. */
export interface BlockAge {
  /** The least of the last eight, in ms, below zero for blocks of a time to come; undefined before the first. Far from zero where clocks differ. */
  readonly leastMs: number | undefined
  /** Records a block that followed on another one. `timestamp`: in seconds; `date`: when it came, in ms; both of Unix time. */
  note(timestamp: number, date: number): void
}

/** Blocks that are remembered: one may have come late. */
const mostBlocks = 8

export function createBlockAge(): BlockAge {
  const ages: number[] = []
  return {
    get leastMs() {
      return ages.length === 0 ? undefined : Math.min(...ages)
    },
    note(timestamp, date) {
      ages.unshift(date - timestamp * 1_000)
      ages.length = Math.min(ages.length, mostBlocks)
    },
  }
}
