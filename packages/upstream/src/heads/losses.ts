import type { Follower } from './follower.ts'

/** Counts how often all followed nodes were lost at once. */
export interface Losses {
  readonly count: number
  /** Looks at the nodes again. */
  note(): void
}

export function createLosses(
  followers: readonly Pick<Follower, 'isResting' | 'isLost' | 'lostAt' | 'blocks'>[],
): Losses {
  let count = 0
  let lastAt = Number.NEGATIVE_INFINITY

  return {
    get count() {
      return count
    },
    note() {
      let lostAt = lastAt
      for (const each of followers) {
        if (each.isResting || each.blocks.head === undefined) continue
        if (!each.isLost) return
        lostAt = Math.max(lostAt, each.lostAt)
      }
      if (lostAt === lastAt) return
      lastAt = lostAt
      count++
    },
  }
}
