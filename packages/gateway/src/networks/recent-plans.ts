/** Remembers what was found for texts of late, in at most twice `most` entries. */
export interface RecentPlans<Plan> {
  /** Returns what was kept for a text; null: it was looked at, and is nothing. */
  get(text: string): Plan | null | undefined
  set(text: string, plan: Plan | null): void
}

/** Creates a memory of two generations: when the young one is full, it becomes the old one, whose entries come back with their next use. */
export function createRecentPlans<Plan>(most: number): RecentPlans<Plan> {
  let young = new Map<string, Plan | null>()
  let old = new Map<string, Plan | null>()

  function set(text: string, plan: Plan | null): void {
    if (young.size >= most) {
      old = young
      young = new Map()
    }
    young.set(copyOf(text), plan)
  }

  return {
    get(text) {
      const found = young.get(text)
      if (found !== undefined) return found
      const past = old.get(text)
      if (past !== undefined) set(text, past)
      return past
    },
    set,
  }
}

/** Copies a text: it may be cut out of a longer message, which would be held. */
function copyOf(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join('')
}
