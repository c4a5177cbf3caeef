import { createLatencySketch, type LatencySketch } from './latency-sketch.ts'

/** A kind of method whose calls take alike long, such as `read` or `heavy`; given by the host. */
export type MethodClass = string

/** How the calls of one class have fared at one upstream. Written by its health alone; `isSuperseded` by the selection. */
export interface ClassHealth {
  /** Calls on their way. */
  inFlight: number
  /** Answers so far. */
  answers: number
  /** The time of the last outcome, in ms. */
  lastAt: number
  /** The usual latency, as the binary logarithm of its ms: between the mean and the 90th percentile; NaN while unknown. */
  log2Ms: number
  /** The usual latency in ms; infinite while unknown. */
  usualMs: number
  /** The time that 95 % of the answers took at most, in ms; NaN while unknown. */
  p95Ms: number
  /** The part of its calls that failed of late: 0 to 1. */
  errorRate: number
  /** The part of its calls for which it lagged behind of late: 0 to 1. */
  lagRate: number
  /** Silence for so long, while a call is on its way, is suspicious, in ms. */
  patienceMs: number
  /** The time since which an answer is owed, in ms; NaN while none is. */
  owedSince: number
  /** Whether others of its tier are clearly better; with hysteresis. */
  isSuperseded: boolean
  /** The mean of the logarithms, weighted by age. */
  meanLog2: number
  /** The 90th percentile of the logarithms. */
  tailLog2: number
  /** The part of the mean that was out of date when the last outcome came. */
  staleness: number
  readonly latencies: LatencySketch
}

/** Silence is suspicious after this time at the latest, in ms, where answers do not usually take long. */
const mostPatienceMs = 1_000
/** No silence is suspicious before this time, in ms. */
export const leastPatienceMs = 250
const leastMs = 1 / 16
/** With fewer answers than this, nothing is known. */
const fewestAnswers = 4
/** With fewer answers of late, the 95th percentile is not known. */
const fewestForQuantiles = 20
/** Quantiles are computed anew after so many answers. */
const refreshedEvery = 16
/** A new latency, or outcome, weighs so much. */
const latencyWeight = 1 / 16
const errorWeight = 1 / 64
/** What is known counts half after so long without an outcome, in ms. */
const halfLifeMs = 30_000

export function createClassHealth(now: number): ClassHealth {
  return {
    inFlight: 0,
    answers: 0,
    lastAt: now,
    log2Ms: Number.NaN,
    usualMs: Number.POSITIVE_INFINITY,
    p95Ms: Number.NaN,
    errorRate: 0,
    lagRate: 0,
    patienceMs: mostPatienceMs,
    owedSince: Number.NaN,
    isSuperseded: false,
    meanLog2: 0,
    tailLog2: 0,
    staleness: 0,
    latencies: createLatencySketch(),
  }
}

/** Returns how much of what is known still counts, from 1 down to 0: an upstream that is not asked may have changed. */
export function freshness({ lastAt }: Readonly<ClassHealth>, now: number): number {
  const idle = now - lastAt
  return idle < 1_000 ? 1 : 2 ** (-idle / halfLifeMs)
}

/** Records a call that ended; `fault`: whether it counts against the upstream, `lagged`: whether it lagged behind for this call. */
export function addOutcome(health: ClassHealth, fault: boolean, lagged: boolean, now: number): void {
  const fresh = freshness(health, now)
  health.errorRate = moved(health.errorRate * fresh, fault)
  health.lagRate = moved(health.lagRate * fresh, lagged)
  // Before the first latency there is nothing that could be out of date.
  if (fresh < 1) health.staleness = Math.max(health.staleness, 1 - fresh)
  health.lastAt = now
}

/** Adds the latency of an answer. */
export function addLatency(health: ClassHealth, ms: number): void {
  const log2Ms = Math.log2(Math.max(ms, leastMs))
  const { latencies } = health
  // One that was slow long ago is not judged by it.
  if (health.staleness > 0.5) latencies.clear()
  latencies.add(log2Ms)
  health.answers++
  moveMean(health, log2Ms)
  const { count } = latencies
  if (count < refreshedEvery || count % refreshedEvery === 0) refresh(health)
  if (health.answers >= fewestAnswers) health.log2Ms = (health.meanLog2 + health.tailLog2) / 2
}

/** Adds the time of a call that was given up: a latency of which only a lower bound is known. */
export function addUnanswered(health: ClassHealth, ms: number): void {
  const log2Ms = Math.log2(Math.max(ms, leastMs))
  // A shorter time than usual tells nothing.
  if (health.answers < fewestAnswers || log2Ms < health.meanLog2) return
  moveMean(health, log2Ms)
  health.log2Ms = (health.meanLog2 + health.tailLog2) / 2
}

/** Moves a rate by one outcome. Most calls succeed, as those before them did. */
function moved(rate: number, happened: boolean): number {
  if (happened) return rate + errorWeight * (1 - rate)
  return rate < 1e-4 ? 0 : rate * (1 - errorWeight)
}

function moveMean(health: ClassHealth, log2Ms: number): void {
  // The first answers count alike, and so does the first one after a long time in which nothing was heard.
  const weight = Math.max(latencyWeight, 1 / health.answers, health.staleness)
  health.meanLog2 += weight * (log2Ms - health.meanLog2)
  health.staleness = 0
}

function refresh(health: ClassHealth): void {
  const { latencies } = health
  health.tailLog2 = latencies.quantile(0.9)
  if (health.answers >= fewestAnswers) health.usualMs = 2 ** ((health.meanLog2 + health.tailLog2) / 2)
  const isKnown = latencies.count >= fewestForQuantiles
  health.p95Ms = isKnown ? 2 ** latencies.quantile(0.95) : Number.NaN
  const suspiciousMs = isKnown ? Math.max(5 * 2 ** latencies.quantile(0.99), leastPatienceMs) : mostPatienceMs
  health.patienceMs = Math.min(suspiciousMs, Math.max(mostPatienceMs, 4 * 2 ** health.tailLog2))
}
