import type { Endpoint } from './endpoint.ts'

/** How an endpoint has fared. */
export interface Standing {
  readonly endpoint: Endpoint
  /** Until when it is asked after those that have not failed, in ms. */
  failedUntil: number
  /** Until when it is asked after those that have not told what is false, in ms. */
  distrustedUntil: number
  /** How often it told what is false. */
  falsehoods: number
  /** How many of its answers were found right since. */
  truths: number
}

/** How often its time is doubled for an endpoint that goes on. */
const mostDoublings = 6
/** After how many answers that were found right an earlier lie counts no more. */
const forgivenAfter = 16

export function standingOf(endpoint: Endpoint): Standing {
  const never = Number.NEGATIVE_INFINITY
  return { endpoint, failedUntil: never, distrustedUntil: never, falsehoods: 0, truths: 0 }
}

/** The place in the order of those that are asked: 0 first. */
export function rankOf({ failedUntil, distrustedUntil }: Standing, now: number): 0 | 1 | 2 {
  if (distrustedUntil > now) return 2
  return failedUntil > now ? 1 : 0
}

/** An answer: it ends a failure at once. Distrust it does not end, for it may be true to hide what is false. */
export function succeed(standing: Standing, isVerified: boolean): void {
  standing.failedUntil = Number.NEGATIVE_INFINITY
  if (standing.falsehoods === 0 || !isVerified) return
  if (++standing.truths >= forgivenAfter) standing.falsehoods = 0
}

/** An answer that is false. */
export function distrust(standing: Standing, now: number, ms: number): void {
  standing.distrustedUntil = now + ms * 2 ** Math.min(standing.falsehoods, mostDoublings)
  standing.falsehoods++
  standing.truths = 0
}
