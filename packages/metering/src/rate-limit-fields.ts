import type { LimitName, Meter } from './meter.ts'

/** The values of two HTTP response fields (draft-ietf-httpapi-ratelimit-headers-10). */
export interface RateLimitFields {
  /** The value of `RateLimit-Policy`: each limit with its credits and its window in seconds. */
  readonly policy: string
  /** The value of `RateLimit`: what is left of each, and the seconds until there is more. */
  readonly limit: string
}

/** Prints the limits that a call falls under, such as `"key-second";q=500;w=1;qu="credits"` and `"key-second";r=420;t=1`. */
export function printRateLimit(meters: readonly Meter[], now: number, date: number): RateLimitFields {
  let policy = ''
  let limit = ''
  for (const meter of meters) {
    const name = policyName(meter.name)
    const separator = policy === '' ? '' : ', '
    policy += `${separator}"${name}";q=${meter.credits};w=${meter.seconds};qu="credits"`
    limit += `${separator}"${name}";r=${meter.remaining(now, date)};t=${Math.ceil(meter.resetMs(now, date) / 1_000)}`
  }
  return { policy, limit }
}

/** Names a limit: `key-second`, `project-day`, `key-method-second`. */
function policyName({ scope, part, window }: LimitName): string {
  return part === 'all' ? `${scope}-${window}` : `${scope}-${part}-${window}`
}
