import {
  type Clock,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { ExclusionReason } from '@wayleave/upstream'
import type { Chain } from './chain.ts'

/** Longest wait for an upstream to reach a block that callers know of, in ms, and time between two looks. */
const patienceMs = 1_500
const lookEveryMs = 50

/** Says for each upstream why it cannot take a call; undefined: it can. */
export type Reasons = (request: RpcRequest, context: RpcContext) => readonly (ExclusionReason | undefined)[]

/**
 * Makes the answers of several upstreams one view: a call that needs what callers were told of waits, for a moment, until an upstream that
 * serves has it, and heads that are pushed count as told.
 */
export function oneView(pool: RpcHandler, chain: Chain, reasons: Reasons, clock: Clock): RpcHandler {
  /** Waits for `isThere`; false where its time has passed. */
  async function wait(isThere: () => boolean, until: number, request: RpcRequest, context: RpcContext) {
    while (!isThere()) {
      if (clock.now() >= until) return false
      const height = chain.needed(request)
      if (height !== undefined) chain.hurry(height)
      await pause(Math.min(lookEveryMs, until - clock.now()), context, clock)
      if (context.cancelled !== undefined) throw context.cancelled
    }
    return true
  }

  /** `againMs`: the pause before an upstream that took something back is asked again. */
  async function serve(request: RpcRequest, context: RpcContext, until: number, againMs: number): Promise<RpcResponse> {
    let missing: string | undefined
    let pauseMs = againMs
    try {
      const response = await pool(request, context)
      const looked = chain.overtaken(request, response, context.lane)
      const lost = looked && (await looked)
      missing = chain.takenBack(request, response)
      if (missing === undefined) return response
      if (lost !== undefined && (await isAccepted(lost, context, until))) pauseMs = againMs = lookEveryMs
    } catch (thrown) {
      const height = chain.needed(request)
      if (!(thrown instanceof RpcError) || context.cancelled !== undefined || height === undefined) throw thrown
      // Another upstream could answer, if only it had the block.
      if (!reasons(request, context).includes('needs_block')) throw thrown
      missing = `block ${height}`
      pauseMs = 0
    }
    const notBefore = clock.now() + pauseMs
    const isThere = (): boolean => clock.now() >= notBefore && reasons(request, context).includes(undefined)
    if (await wait(isThere, until, request, context)) return serve(request, context, until, againMs * 2)
    throw new RpcError('unavailable', `no upstream that answers has ${missing} yet`, { delivery: 'not_sent' })
  }

  async function isAccepted(transaction: RpcRequest, context: RpcContext, until: number): Promise<boolean> {
    const fork = context.fork({ deadline: until })
    try {
      return (await pool(transaction, fork.context)).error === undefined
    } catch {
      return false
    } finally {
      fork.release()
    }
  }

  return async (request, context) => {
    const response = await serve(request, context, Math.min(clock.now() + patienceMs, context.deadline), lookEveryMs)
    if (response.error !== undefined || response.subscription === undefined) return response
    return { ...response, subscription: watched(response.subscription, (item) => chain.pushed(request, item)) }
  }
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
