import { RpcError, type RpcHandler, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import { type AttemptOptions, createAttempt, type PoolCall } from './attempt.ts'
import { type CallSlots, createCallSlots } from './call-slots.ts'
import type { Endpoint } from './endpoint.ts'
import { healthOf } from './endpoint-health.ts'
import { healthiestFirst, type Preference, type SelectionPolicy } from './selection-policy.ts'

export interface PoolOptions extends AttemptOptions {
  /** The endpoints, in order of preference. */
  readonly endpoints: readonly Endpoint[]
  /** Whether a call may be sent again when it is unknown whether the first one arrived: reads. */
  readonly isRepeatable: (request: RpcRequest) => boolean
  /** Whether a call needs an endpoint that can push. */
  readonly opensSubscription: (request: RpcRequest) => boolean
  /** Whether an endpoint is asked before others that have fared alike; for the default `selection`. Default: none is. */
  readonly prefers?: Preference
  /** Decides which endpoints a call may go to, and in which order. Default: {@link healthiestFirst}. */
  readonly selection?: SelectionPolicy
  /** Bounds the calls in flight, and shares them fairly; of this pool alone. Default: 160 an endpoint. */
  readonly slots?: CallSlots
}

/**
 * Makes a handler over several endpoints: it asks them one after another, in the order of the selection policy, while
 * that is safe. A write goes on only when it cannot have arrived. @throws RpcError `unavailable` where every endpoint failed.
 */
export function createPool(options: PoolOptions): RpcHandler {
  const { clock, isRepeatable, opensSubscription, selection = healthiestFirst(options.prefers) } = options
  const { slots = createCallSlots({ clock }) } = options
  const attempt = createAttempt(options, slots)
  const all = options.endpoints.map((endpoint) => healthOf(endpoint, slots.perEndpoint))
  const ableTo = (request: RpcRequest) =>
    opensSubscription(request) ? all.filter(({ endpoint }) => endpoint.carriesSubscriptions) : all

  return async (request, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    const ordered = selection.order(ableTo(request), request, clock)
    const repeatable = isRepeatable(request)
    const call: PoolCall = { request, context, repeatable, candidates: ordered.length, attempts: 0, spare: undefined }
    let refusal: RpcResponse | undefined
    let failures: RpcError[] | undefined
    for (let left = ordered; left.length > 0;) {
      // An endpoint without a free slot is not waited for while another has one.
      let slot = slots.take(left, call)
      try {
        slot ??= await slots.wait(left, call)
      } catch (why) {
        if (context.cancelled !== undefined) throw context.cancelled
        ;(failures ??= []).push(why as RpcError)
        break
      }
      const outcome = await attempt(slot, call)
      if (outcome.kind === 'answer') return outcome.response
      if (outcome.kind === 'final') throw outcome.why
      if (outcome.kind === 'failure') (failures ??= []).push(outcome.why)
      else if (outcome.kind === 'spare') call.spare ??= outcome.response
      else refusal ??= outcome.response
      left = left.filter((health) => health !== slot.health)
    }
    const fallback = call.spare ?? refusal
    if (fallback === undefined) throw noAnswer(ordered.length, failures ?? [], options.isFalse)
    return fallback
  }
}

/** Sums up the failures of all endpoints; one endpoint's own failure says it best, and so does a pool that asked none. */
function noAnswer(candidates: number, failures: readonly RpcError[], isFalse: PoolOptions['isFalse']): RpcError {
  const last = failures.at(-1)
  if (last !== undefined && (candidates === 1 || (failures.length === 1 && last.code === 'overloaded'))) return last
  const message = candidates === 0 ? 'no upstream can take this call' : `none of ${candidates} upstreams answered`
  return new RpcError('unavailable', message, {
    // A false answer says more than an endpoint that was not there.
    cause: (isFalse && failures.findLast(isFalse)) ?? last,
    delivery: failures.some(({ delivery }) => delivery === 'unknown') ? 'unknown' : 'not_sent',
    retryAfterMs: last?.retryAfterMs,
  })
}
