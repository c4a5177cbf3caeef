/** A misfortune of one node. Times in ms since the clients began. */
export interface Misfortune {
  readonly at: number
  /** The node, by its place. */
  readonly node: number
  readonly kind: 'kill' | 'pause'
  readonly forMs: number
}

export interface ScheduleOptions {
  readonly seed: number
  readonly nodes: number
  readonly lengthMs: number
  readonly everyMs: number
}

/** The least and the most time of a misfortune, as parts of the time between two. */
const shortest = 0.2
const longest = 1.4
/** Time at the end in which nobody is hurt any more, in ms. */
const calmMs = 10_000

/** Draws what happens to which node, and when. The same options give the same list, by time. */
export function drawSchedule({ seed, nodes, lengthMs, everyMs }: ScheduleOptions): readonly Misfortune[] {
  const random = randomOf(seed)
  const schedule: Misfortune[] = []
  for (let from = everyMs / 2; from < lengthMs; from += everyMs) {
    const at = Math.round(from + random() * everyMs * 0.5)
    const node = Math.floor(random() * nodes)
    const kind = random() < 0.5 ? 'kill' : 'pause'
    const forMs = Math.round((shortest + random() * (longest - shortest)) * everyMs)
    if (at + forMs <= lengthMs - calmMs) schedule.push({ at, node, kind, forMs })
  }
  return schedule
}

/** Returns a generator of numbers from 0 up to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
