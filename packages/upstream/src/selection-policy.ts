import type { Clock, RpcRequest } from '@wayleave/jsonrpc-core'
import type { Endpoint } from './endpoint.ts'
import type { EndpointHealth } from './endpoint-health.ts'

/** Decides which endpoints a call may go to, and in which order. */
export interface SelectionPolicy {
  /**
   * Returns those of `candidates` that may be asked for `request`, first choice first. The candidates can take the call
   * and come in the given order; their array must stay as it is. `clock` is the one that the times of a health refer to.
   */
  order(
    candidates: readonly Readonly<EndpointHealth>[],
    request: RpcRequest,
    clock: Clock,
  ): readonly Readonly<EndpointHealth>[]
}

/** Says whether an endpoint is asked before others that have fared alike. */
export type Preference = (endpoint: Endpoint, request: RpcRequest) => boolean

/**
 * The default policy: the given order, but endpoints that have just failed come last, those that gave a false answer after
 * them, and among equals those that `prefers` names come first.
 */
export function healthiestFirst(prefers: Preference = () => true): SelectionPolicy {
  const placeOf = (health: Readonly<EndpointHealth>, request: RpcRequest, now: number): number =>
    2 * rankOf(health, now) + (prefers(health.endpoint, request) ? 0 : 1)

  return {
    order(candidates, request, clock) {
      if (candidates.length < 2) return candidates
      const now = clock.now()
      // Usually no endpoint has failed, and nothing needs to be sorted.
      for (const health of candidates) {
        if (placeOf(health, request, now) === 0) continue
        return candidates.toSorted((a, b) => placeOf(a, request, now) - placeOf(b, request, now))
      }
      return candidates
    },
  }
}

/** Ranks an endpoint by its health: 0 before 1 before 2. */
function rankOf({ failedUntil, distrustedUntil }: Readonly<EndpointHealth>, now: number): 0 | 1 | 2 {
  if (distrustedUntil > now) return 2
  return failedUntil > now ? 1 : 0
}
