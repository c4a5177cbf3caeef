/** A quantile sketch of recent latencies: 352 bytes, each quantile within 5 % of the exact one. */
export interface LatencySketch {
  /** Latencies that it stands for at present; older ones fade. */
  readonly count: number
  /** Adds a latency, given as the binary logarithm of its ms. */
  add(log2Ms: number): void
  /** Forgets all of them. */
  clear(): void
  /** The latency that a part `q` of the calls does not exceed, as the binary logarithm of its ms; NaN while there is none. */
  quantile(q: number): number
}

/** Buckets between a latency and twice as much. */
const perOctave = 8
/** The first bucket ends just above 1/16 ms, the last one holds everything from 262 s. */
const lowest = -4
const buckets = (18 - lowest) * perOctave
/** At so many latencies, all counts are halved: what is older weighs less. */
const halvedAt = 1024

/** Creates an empty sketch: counters in buckets of equal width on a logarithmic scale (as HdrHistogram and DDSketch have them). */
export function createLatencySketch(): LatencySketch {
  const counts = new Uint16Array(buckets)
  let count = 0
  return {
    get count() {
      return count
    },
    add(log2Ms) {
      const bucket = Math.floor((log2Ms - lowest) * perOctave)
      // Comparisons with NaN are false: it counts as the fastest.
      const at = bucket > 0 ? Math.min(bucket, buckets - 1) : 0
      counts[at]!++
      if (++count < halvedAt) return
      count = 0
      for (let i = 0; i < buckets; i++) count += counts[i]! >>= 1
    },
    clear() {
      counts.fill(0)
      count = 0
    },
    quantile(q) {
      if (count === 0) return Number.NaN
      let above = Math.floor((1 - q) * count)
      for (let i = buckets - 1; i >= 0; i--) {
        above -= counts[i]!
        if (above < 0) return (i + 0.5) / perOctave + lowest
      }
      return lowest
    },
  }
}
