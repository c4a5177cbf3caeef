import type { TrafficPoint } from '@wayleave/admin-api'

/** The traffic of one step; `p50` and `p99` are NaN without calls. */
export type TrafficSample = Required<TrafficPoint> & {
  readonly p50: number
  readonly p99: number
  /** Calls by the buckets of their times. */
  readonly times: readonly number[]
}

/** The last steps. */
export interface TrafficRing {
  push(sample: TrafficSample): void
  /** Returns those that began from `from` on and before `to`, the oldest first. */
  between(from: number, to: number): readonly TrafficPoint[]
  /** Returns the sum of their calls by the buckets of their times. */
  timesBetween(from: number, to: number): readonly number[]
}

const members = [
  'at',
  'calls',
  'errors',
  'p50',
  'p99',
  'cacheHits',
  'cacheAsked',
  'sockets',
  'streams',
] as const satisfies readonly (keyof TrafficPoint)[]

/** Creates a ring of so many steps, as numbers alone. `buckets`: how many times have. */
export function createTrafficRing(most: number, buckets: number): TrafficRing {
  const numbers = new Float64Array(most * members.length)
  const times = new Float64Array(most * buckets)
  let next = 0
  let size = 0

  /** The places of the steps that are kept, the oldest first. */
  const places = (): number[] => Array.from({ length: size }, (_, i) => (next + most - size + i) % most)

  function read(i: number): TrafficPoint {
    const row = numbers.subarray(i * members.length, (i + 1) * members.length)
    const { p50, p99, ...counts } = Object.fromEntries(
      members.map((name, k) => [name, row[k]!]),
    ) as unknown as TrafficSample
    return Number.isNaN(p50) ? counts : { ...counts, p50, p99 }
  }

  return {
    push(sample) {
      for (const [k, name] of members.entries()) numbers[next * members.length + k] = sample[name]
      times.set(sample.times, next * buckets)
      next = (next + 1) % most
      size = Math.min(size + 1, most)
    },
    between: (from, to) =>
      places()
        .map(read)
        .filter(({ at }) => at >= from && at < to),
    timesBetween(from, to) {
      const sum = Array.from({ length: buckets }, () => 0)
      for (const place of places()) {
        const at = numbers[place * members.length]!
        if (at < from || at >= to) continue
        for (let i = 0; i < buckets; i++) sum[i]! += times[place * buckets + i]!
      }
      return sum
    },
  }
}
