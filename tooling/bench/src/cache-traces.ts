/** Returns a source of numbers in [0, 1) that is the same for each seed: mulberry32. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns the length of an answer, in bytes: nine of ten up to 4 kB, one of a hundred up to 200 kB. */
export function mixedLength(next: () => number): number {
  const kind = next()
  const [low, high] = kind < 0.9 ? [60, 4_000] : kind < 0.99 ? [4_000, 40_000] : [40_000, 200_000]
  return Math.floor(low! * (high! / low!) ** next())
}

/** Returns a source of the numbers below `count` in which the nth is asked for as often as 1 / (n + 1)^skew says. */
export function zipf(count: number, skew: number, next: () => number): () => number {
  const sums = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) sums[i] = sum += (i + 1) ** -skew
  return () => {
    const at = next() * sum
    let low = 0
    let high = count - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < at) low = middle + 1
      else high = middle
    }
    return low
  }
}

export interface Trace {
  readonly name: string
  /** Returns the next question, as a number. */
  readonly ask: () => number
}

const questions = 100_000

/** Traces of questions; each is the same on each run. */
export function createTraces(): readonly Trace[] {
  const traces: Trace[] = [0.7, 0.9, 1, 1.2].map((skew) => ({
    name: `Zipf ${skew}`,
    ask: zipf(questions, skew, random(1)),
  }))
  const next = random(2)
  const popular = zipf(questions, 0.9, next)
  let left = 0
  let scanned = 1_000_000
  traces.push({
    name: 'Zipf 0.9 with scans of 20,000',
    ask() {
      if (left === 0 && next() < 0.000_05) left = 20_000
      if (left === 0) return popular()
      left--
      return scanned++
    },
  })
  const shifted = zipf(questions, 0.9, random(3))
  let asked = 0
  traces.push({ name: 'Zipf 0.9 that moves on', ask: () => shifted() + Math.floor(asked++ / 50_000) * 20_000 })
  return traces
}
