import type { Endpoint } from './endpoint.ts'
import { createFairShare, type FairShare } from './fair-share.ts'

/** The record of how an endpoint has fared. Only the pool writes it. */
export interface EndpointHealth {
  readonly endpoint: Endpoint
  /** The slots of its calls in flight. */
  readonly slots: FairShare
  /** The time until which it is asked after those that have not failed, in ms on the pool's clock. */
  failedUntil: number
  /** The time until which it is asked after those that gave no false answer, in ms on the pool's clock. */
  distrustedUntil: number
  /** False answers so far. */
  falseAnswers: number
  /** Verified answers since the last false one. */
  verifiedAnswers: number
}

/** The distrust of an endpoint that goes on giving false answers doubles at most so often. */
const maxDoublings = 6
/** After so many verified answers, earlier false ones count no more. */
const forgivenAfter = 16

/** Creates the record of an endpoint that has not been asked; `slots`: its calls in flight at most. */
export function healthOf(endpoint: Endpoint, slots: number): EndpointHealth {
  const never = Number.NEGATIVE_INFINITY
  return {
    endpoint,
    slots: createFairShare(slots),
    failedUntil: never,
    distrustedUntil: never,
    falseAnswers: 0,
    verifiedAnswers: 0,
  }
}

/** Records an answer. It ends a failure at once, but no distrust: a liar may answer truly in between. */
export function recordAnswer(health: EndpointHealth, isVerified: boolean): void {
  health.failedUntil = Number.NEGATIVE_INFINITY
  if (health.falseAnswers === 0 || !isVerified) return
  if (++health.verifiedAnswers >= forgivenAfter) health.falseAnswers = 0
}

/** Records a false answer. The first one costs `distrustMs`. */
export function recordFalseAnswer(health: EndpointHealth, now: number, distrustMs: number): void {
  health.distrustedUntil = now + distrustMs * 2 ** Math.min(health.falseAnswers, maxDoublings)
  health.falseAnswers++
  health.verifiedAnswers = 0
}
