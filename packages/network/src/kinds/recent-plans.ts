/** Remembers what was found for texts of late that came more than once, in at most twice `most` entries. */
export interface RecentPlans<Plan> {
  /** Returns what was kept for a text; null: it was looked at, and is nothing. */
  get(text: string): Plan | null | undefined
  /** Keeps a plan from the second time on: most texts of a busy gateway come once. */
  set(text: string, plan: Plan | null): void
}

/** Hashes of texts that came once, for each that is remembered. */
const seenForEach = 4

/** Creates a memory of two generations: when the young one is full, it becomes the old one, whose entries come back with their next use. */
export function createRecentPlans<Plan>(most: number): RecentPlans<Plan> {
  const seen = new Int32Array(2 ** Math.ceil(Math.log2(most * seenForEach)))
  let young = new Map<string, Plan | null>()
  let old = new Map<string, Plan | null>()

  function keep(text: string, plan: Plan | null): void {
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
      if (past !== undefined) keep(text, past)
      return past
    },
    set(text, plan) {
      const hash = hashOf(text)
      const place = hash & (seen.length - 1)
      if (seen[place] === hash) return keep(text, plan)
      seen[place] = hash
    },
  }
}

/** Copies a text: it may be cut out of a longer message, which would be held. */
function copyOf(text: string): string {
  return [text.slice(0, 1), text.slice(1)].join('')
}

/** Characters at each end of a text that its hash is made of. */
const hashed = 96

/** Hashes a text by its ends and its length, by FNV-1a; two texts of one hash are only kept early. Never 0. */
function hashOf(text: string): number {
  const { length } = text
  let hash = 2_166_136_261 ^ length
  for (let i = 0; i < length; i++) {
    if (i === hashed && length > 2 * hashed) i = length - hashed
    hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619)
  }
  return hash ^ (hash >>> 15) || 1
}
