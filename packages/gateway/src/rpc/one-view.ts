import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { Chain } from './chain.ts'

/** Longest wait for an upstream to reach a block that callers know of, in ms, and time between two looks. */
const patienceMs = 1_500
const lookEveryMs = 50

/**
 * Makes the answers of several upstreams one view: a call that needs a block that callers were told of waits, for a moment, until an
 * upstream that serves has it, and heads that are pushed count as told.
 */
export function oneView(pool: RpcHandler, chain: Chain, clock: Clock): RpcHandler {
  async function later(request: RpcRequest, context: RpcContext, thrown: unknown): Promise<RpcResponse> {
    const height = chain.missing(request)
    if (!(thrown instanceof RpcError) || thrown.delivery === 'unknown' || height === undefined) throw thrown
    const until = Math.min(clock.now() + patienceMs, context.deadline)
    while (clock.now() < until && chain.missing(request) !== undefined) {
      chain.hurry(height)
      await pause(Math.min(lookEveryMs, until - clock.now()), context, clock)
      if (context.cancelled !== undefined) throw context.cancelled
    }
    if (chain.missing(request) === undefined) return pool(request, context)
    throw new RpcError('unavailable', `no upstream that answers has block ${height} yet`, { delivery: 'not_sent' })
  }

  return (request, context) =>
    pool(request, context).then(
      (response) => {
        if (response.error !== undefined || response.subscription === undefined) return response
        return { ...response, subscription: watched(response.subscription, (item) => chain.pushed(request, item)) }
      },
      (thrown: unknown) => later(request, context, thrown),
    )
}

function pause(ms: number, context: RpcContext, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.after(ms, () => {
      forget()
      resolve()
    })
    const forget = context.onCancel(() => {
      stop()
      resolve()
    })
  })
}

/** Shows each event of a subscription before it is passed on. */
function watched(subscription: RpcSubscription, onEvent: (response: RpcResponse) => void): RpcSubscription {
  return {
    ...subscription,
    open: (sink) =>
      subscription.open({
        event(method, result) {
          onEvent({ result })
          return sink.event(method, result)
        },
        gap: (gap) => sink.gap(gap),
        end: (why) => sink.end(why),
      }),
  }
}
