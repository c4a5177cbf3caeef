import { rateLimitHeaders } from '../metering/meter-request.ts'
import type { Caller } from '../context/context.ts'

/** Prints the limits that a call came nearest to. */
export function limitHeaders({ metered, tally }: Caller): readonly string[] {
  return metered === undefined || tally === undefined ? none : rateLimitHeaders(metered, tally.method)
}

const none: readonly string[] = []
