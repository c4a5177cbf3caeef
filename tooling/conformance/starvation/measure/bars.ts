/** The bounds that hold for the good caller and for the gateway's memory while a family runs. */
export interface Bars {
  /** The p99 of a kind of call is at most this times its idle p99, … */
  readonly timesIdle: number
  /** … and so many ms. Infinite: latency and failures have no bar. */
  readonly plusMs: number
  /** The peak of resident memory over idle, in MB. */
  readonly peakMegabytes: number
  /** Resident memory over idle once the attack has been over for {@link settleSeconds}, in MB. */
  readonly settledMegabytes: number
}

/** The bars of every family that names no others. */
export const bars: Bars = { timesIdle: 3, plusMs: 50, peakMegabytes: 256, settledMegabytes: 64 }

/** The time that the memory has to come back, in seconds. */
export const settleSeconds = 30

/** The latencies of one kind of call, in ms, and its failures. */
export interface Latencies {
  readonly calls: number
  readonly failures: number
  /** What the first failure was; empty without one. */
  readonly failure: string
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Resident memory of the gateway in MB. */
export interface Memory {
  readonly idle: number
  readonly peak: number
  readonly settled: number
}

/** One kind of call of the good caller, without and with the attack. */
export interface Probe {
  readonly kind: string
  readonly idle: Latencies
  readonly attacked: Latencies
}

/** The highest p99 that the bars allow a kind of call, in ms. */
export function highestP99({ timesIdle, plusMs }: Bars, idleP99: number): number {
  return timesIdle * idleP99 + plusMs
}

/** The life of the gateway, and the upstreams that it left alone before and after the attack: each as a sentence. */
export interface Condition {
  readonly alive: boolean
  readonly excludedBefore: readonly string[]
  readonly excludedAfter: readonly string[]
}

/**
 * Names the bars that do not hold, each as a sentence without a full stop. A rig whose caller fails, or whose upstreams are excluded
 * where nobody attacks, measures nothing.
 */
export function judge(
  bounds: Bars,
  probes: readonly Probe[],
  memory: Memory,
  { alive, excludedBefore, excludedAfter }: Condition,
): readonly string[] {
  const broken: string[] = alive ? [] : ['the gateway ended']
  broken.push(...excludedBefore.map((which) => `before the attack: ${which}`))
  broken.push(...excludedAfter.map((which) => `after the attack: ${which}`))
  for (const { kind, idle } of probes) {
    if (idle.failures === 0) continue
    broken.push(`${kind}: ${idle.failures} of ${idle.calls} calls failed before the attack (${idle.failure})`)
  }
  const { peakMegabytes, settledMegabytes, plusMs } = bounds
  if (plusMs !== Number.POSITIVE_INFINITY) {
    for (const { kind, idle, attacked } of probes) {
      const bar = highestP99(bounds, idle.p99)
      if (attacked.p99 > bar) broken.push(`${kind}: p99 ${attacked.p99.toFixed(0)} ms, bar ${bar.toFixed(0)} ms`)
      if (attacked.failures > 0) {
        broken.push(`${kind}: ${attacked.failures} of ${attacked.calls} calls failed (${attacked.failure})`)
      }
      if (attacked.calls === 0) broken.push(`${kind}: no call was made`)
    }
  }
  const peak = memory.peak - memory.idle
  if (peak > peakMegabytes) broken.push(`memory: ${peak.toFixed(0)} MB over idle, bar ${peakMegabytes} MB`)
  const settled = memory.settled - memory.idle
  if (settled > settledMegabytes) {
    broken.push(`memory: ${settled.toFixed(0)} MB over idle when it is over, bar ${settledMegabytes} MB`)
  }
  return broken
}
