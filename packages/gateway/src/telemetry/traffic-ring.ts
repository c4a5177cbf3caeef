import type { TrafficPoint } from '@wayleave/admin-api'

/** The traffic of one step; `p50` and `p99` are NaN without calls. */
export type TrafficSample = Required<TrafficPoint> & { readonly p50: number; readonly p99: number }

/** The last steps. */
export interface TrafficRing {
  push(sample: TrafficSample): void
  /** Returns those that began from `from` on and before `to`, the oldest first. */
  between(from: number, to: number): readonly TrafficPoint[]
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
] as const satisfies readonly (keyof TrafficSample)[]

/** Creates a ring of so many steps, as numbers alone. */
export function createTrafficRing(most: number): TrafficRing {
  const numbers = new Float64Array(most * members.length)
  let next = 0
  let size = 0

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
      next = (next + 1) % most
      size = Math.min(size + 1, most)
    },
    between: (from, to) =>
      Array.from({ length: size }, (_, i) => read((next + most - size + i) % most)).filter(
        ({ at }) => at >= from && at < to,
      ),
  }
}
