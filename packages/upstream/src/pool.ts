import type { RpcContext, RpcHandler, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import { type AttemptOptions, createAttempt } from './attempt.ts'
import type { Write } from './broadcast/write.ts'
import { WriteRun } from './broadcast/write-run.ts'
import { type CallSlots, createCallSlots } from './call-slots.ts'
import type { Hedging } from './failsafe/hedging.ts'
import { createOverdue } from './failsafe/overdue.ts'
import type { Retries } from './failsafe/retries.ts'
import type { MethodClass } from './health/class-health.ts'
import { Run } from './run.ts'
import type { RunParts } from './run-parts.ts'
import type { Candidate } from './selection/candidate.ts'
import type { SelectionCall } from './selection/order.ts'
import type { Selection } from './selection/selection.ts'

export interface PoolOptions extends AttemptOptions {
  /** Chooses upstreams for each call. */
  readonly selection: Selection
  /** Whether a call may be sent again when it is unknown whether the first one arrived: reads. */
  readonly isRepeatable: (request: RpcRequest) => boolean
  /** Whether a method is in a table; any other one is asked of upstreams that are not known to have it once a minute. Default: every method is. */
  readonly isKnown?: (method: string) => boolean
  /** The affinity of a call: those of an equal one go to one upstream while it can be asked, and are not hedged. Default: no call has one. */
  readonly affinityOf?: (request: RpcRequest) => string | undefined
  /** Describes a write whose outcome its answers tell, such as a transaction; undefined: they do not. Default: no write's do. */
  readonly writeOf?: (request: RpcRequest, context: RpcContext) => Write | undefined
  /** Whether a call needs an endpoint that can push. */
  readonly opensSubscription: (request: RpcRequest) => boolean
  /** The class of a call, whose calls take alike long. Default: `read` and `write`. */
  readonly classOf?: (request: RpcRequest) => MethodClass
  /** The groups whose upstreams a call may go to; undefined: all. Default: all. */
  readonly groupsOf?: (context: RpcContext, request: RpcRequest) => readonly string[] | undefined
  /**
   * Waits until so much is known of an upstream that it may be asked; undefined: it is. The selection is asked again afterwards, and a
   * read goes to another upstream meanwhile if this takes long.
   */
  readonly ready?: (candidate: Candidate, context: RpcContext) => Promise<void> | undefined
  /** Bounds the calls in flight, and shares them fairly; of this pool alone. Default: 160 an endpoint. */
  readonly slots?: CallSlots
  /** Decides when a read is asked of a second upstream beside the first. Default: only when the first is silent. */
  readonly hedging?: Hedging
  /** Decides whether a read that all upstreams have failed goes round again. Default: none does. */
  readonly retries?: Retries
}

/**
 * Makes a handler over several upstreams. It asks them one after another, in the order of the selection, while that is safe: a write
 * goes on only when it cannot have arrived; a read, an idempotent write, or a call that opens a subscription, may be asked of the next one
 * beside one that takes long, and such a write of several at once.
 * @throws RpcError `unavailable` where every upstream failed.
 */
export function createPool(options: PoolOptions): RpcHandler {
  const { clock, selection, isRepeatable, isKnown, writeOf, opensSubscription, groupsOf, hedging } = options
  const { classOf, retries, slots = createCallSlots({ clock }) } = options
  const parts: RunParts = {
    clock,
    selection,
    slots,
    attempt: createAttempt(options, slots),
    overdue: createOverdue(clock),
    hedging,
    retries,
    isFalse: options.isFalse,
    ready: options.ready,
  }

  /** Asks one upstream after another. */
  function run(call: SelectionCall, context: RpcContext, repeatable: boolean): Promise<RpcResponse> {
    const write = repeatable ? undefined : writeOf?.(call.request, context)
    return new Promise((resolve, reject) =>
      write === undefined
        ? new Run(parts, call, context, repeatable, resolve, reject).start()
        : new WriteRun(parts, call, write, context, resolve, reject).start(),
    )
  }

  return (request, context) => {
    if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
    hedging?.counted()
    retries?.counted()
    const isRead = isRepeatable(request)
    const isSubscription = opensSubscription(request)
    const call: SelectionCall = {
      request,
      class: classOf?.(request) ?? (isRead ? 'read' : 'write'),
      now: clock.now(),
      opensSubscription: isSubscription,
      groups: groupsOf?.(context, request),
      affinity: options.affinityOf?.(request),
      isUnknown: isKnown?.(request.method) === false,
      project: context.tenant,
    }
    // Where two upstreams open a subscription, the later one is ended.
    const repeatable = isRead || isSubscription
    return call.isUnknown === true
      ? selection.trials.inTurn(call, context, clock, () => run(call, context, repeatable))
      : run(call, context, repeatable)
  }
}
