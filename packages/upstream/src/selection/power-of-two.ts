import { type ClassHealth, freshness } from '../health/class-health.ts'
import type { Candidate } from './candidate.ts'
import type { UpstreamOrder } from './order.ts'

export interface PowerOfTwoOptions {
  /** A number from 0 up to 1. */
  readonly random: () => number
  /** Blocks by which an upstream is behind the served head. Default: none is. */
  readonly lagOf?: (candidate: Candidate) => number
}

/** A cost is a binary logarithm: at 1 more, an upstream is half as good. This one is clearly worse than the best one: */
const supersededAt = 1
/** It is alike good again below this. */
const alikeBelow = 0.5
/** A failure rate of 1/6 costs as much as twice the latency; a certain failure as much as 64 times. */
const errorCost = 6
const lagRateCost = 4
/** Each block behind costs 7 % of latency, up to eight blocks. */
const blockCost = 0.1
const mostBlocks = 8
/** The cost of the last slot: four times the latency. */
const loadCost = 2
/** Added to a cost, it is higher than any other. */
const behindAll = 1e6

/**
 * The default policy, power of two choices with hysteresis (Mitzenmacher, *The power of two choices in randomized load balancing*,
 * 2001). Each candidate has a cost: its latency for this class of methods, raised by failures, price, lag and load. All that cost
 * less than twice as much as the best one are alike: two of them are drawn by weight, and the one with fewer calls in flight is
 * asked. The others follow in the order of their cost, and take part again once they cost less than 1.4 times as much. What is
 * known of an upstream that is not asked fades within minutes, so that it is tried again.
 */
export function powerOfTwo({ random, lagOf }: PowerOfTwoOptions): UpstreamOrder {
  // Written and read within one call, which waits for nothing.
  const records: (ClassHealth | undefined)[] = []
  const costs: number[] = []

  /** Fills in the costs, and returns the lowest. */
  function weigh(eligible: readonly Candidate[], methodClass: string, now: number): number {
    let fastest = Number.POSITIVE_INFINITY
    for (let i = 0; i < eligible.length; i++) {
      const record = eligible[i]!.health.of(methodClass)
      const latency = record === undefined ? Number.NaN : latencyOf(record, now)
      records[i] = record
      costs[i] = latency
      if (latency < fastest) fastest = latency
    }
    let lowest = Number.POSITIVE_INFINITY
    for (let i = 0; i < eligible.length; i++) {
      const candidate = eligible[i]!
      const { slots, price } = candidate
      // A latency that nobody knows yet is taken to be good.
      let cost = costs[i]! > fastest ? costs[i]! - fastest : 0
      const record = records[i]
      if (record !== undefined) {
        if (record.errorRate > 0) cost += errorCost * record.errorRate
        if (record.lagRate > 0) cost += lagRateCost * record.lagRate
        if (cost > 0) cost *= freshness(record, now)
      }
      if (price > 0) cost += Math.log2(1 + price)
      const { capacity } = slots
      cost += (loadCost * (capacity - slots.free)) / capacity
      if (lagOf !== undefined) cost += blockCost * Math.min(Math.max(lagOf(candidate), 0), mostBlocks)
      costs[i] = cost
      if (cost < lowest) lowest = cost
    }
    return lowest
  }

  /** Pushes those that are clearly worse behind all others. Returns the sum of the weights of the others. */
  function pushSuperseded(eligible: readonly Candidate[], lowest: number): number {
    let weights = 0
    for (let i = 0; i < eligible.length; i++) {
      const record = records[i]
      const isSuperseded = costs[i]! - lowest >= (record?.isSuperseded === true ? alikeBelow : supersededAt)
      if (record !== undefined && record.isSuperseded !== isSuperseded) record.isSuperseded = isSuperseded
      if (isSuperseded) costs[i]! += behindAll
      else weights += eligible[i]!.weight
    }
    return weights
  }

  /** Draws one of those that are alike, by weight, but for the one at `without`; -1 where there is none. */
  function draw(eligible: readonly Candidate[], weights: number, without: number): number {
    let left = random() * weights
    let drawn = -1
    for (let i = 0; i < eligible.length && left >= 0; i++) {
      if (i === without || costs[i]! >= behindAll) continue
      drawn = i
      left -= eligible[i]!.weight
    }
    return drawn
  }

  return (eligible, { class: methodClass, now }) => {
    if (eligible.length < 2) return eligible
    const weights = pushSuperseded(eligible, weigh(eligible, methodClass, now))
    const first = draw(eligible, weights, -1)
    const second = draw(eligible, weights - eligible[first]!.weight, first)
    const chosen = second >= 0 && isBusier(eligible[first]!, eligible[second]!) ? second : first
    costs[chosen] = Number.NEGATIVE_INFINITY
    return byCost(eligible, costs)
  }
}

/** Whether a candidate has more than one call in flight more than another one, for its weight. */
function isBusier(one: Candidate, other: Candidate): boolean {
  return one.health.inFlight * other.weight > (other.health.inFlight + 1) * one.weight
}

/** Sorts by insertion: there are few, and mostly they are in order. */
function byCost(eligible: readonly Candidate[], costs: number[]): readonly Candidate[] {
  const sorted = eligible.slice()
  for (let i = 1; i < sorted.length; i++) {
    const candidate = sorted[i]!
    const cost = costs[i]!
    let at = i
    for (; at > 0 && costs[at - 1]! > cost; at--) {
      sorted[at] = sorted[at - 1]!
      costs[at] = costs[at - 1]!
    }
    sorted[at] = candidate
    costs[at] = cost
  }
  return sorted
}

/** The latency to expect, as the binary logarithm of its ms; NaN while unknown. */
function latencyOf(it: ClassHealth, now: number): number {
  if (it.inFlight === 0) return it.log2Ms
  // The answer that is owed takes so long at least. A little more than usual is nothing yet.
  const silence = now - it.owedSince
  return silence > it.patienceMs / 2 ? Math.log2(silence) : it.log2Ms
}
