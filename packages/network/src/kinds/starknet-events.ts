import {
  isStream,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcSession,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { EventOptions } from './network-kind.ts'

const notSupported: RpcErrorObject = {
  code: -32601,
  message: 'subscriptions of Starknet need a WebSocket: connect to /ws/v3/<key>/rpc/<version>, or poll',
}
const noSource: RpcErrorObject = {
  code: -32601,
  message: 'no upstream of this network can push: one with a ws or wss URL is needed; poll instead',
}
const notFound: RpcErrorObject = { code: 66, message: 'Invalid subscription id' }
/** Stands for all callers without a session. */
const noSession = {}

/** Matches the calls of subscriptions in any version, also methods that have no table yet. */
const ofSubscription = /^starknet_(un)?subscribe/i

/**
 * Serves the subscriptions of Starknet, from 0.8 on, to callers with a session whose version the node speaks, too. Pushes pass byte for
 * byte under an id of the caller's own. `opens` tells which methods open a subscription.
 */
export function starknetEvents(
  opens: (method: string) => boolean,
): (options: EventOptions) => RpcMiddleware<RpcContext> {
  /** By connection: a network that is opened anew goes on with its ids. */
  const counts = new WeakMap<object, number>()
  return ({ canPush, withoutSession = false }) => {
    return (next) => (request, context) => {
      const { method } = request
      if (!ofSubscription.test(method)) return next(request, context)
      const { session } = context
      if (session === undefined && !withoutSession) return Promise.resolve({ error: notSupported })
      if (method === 'starknet_unsubscribe') return Promise.resolve(unsubscribe(request, session))
      if (!opens(method)) return Promise.resolve({ error: { code: -32601, message: 'Method not found' } })
      if (!canPush) return Promise.resolve({ error: noSource })
      const holder = session ?? noSession
      const count = (counts.get(holder) ?? 0) + 1
      counts.set(holder, count)
      return subscribe(next, request, context, String(count))
    }
  }
}

async function subscribe(next: RpcHandler, request: RpcRequest, context: RpcContext, id: string): Promise<RpcResponse> {
  const response = await next(request, context)
  if (response.error !== undefined) return response
  const { result, subscription } = response
  if (subscription === undefined) {
    if (isStream(result)) result.cancel()
    throw new RpcError('invalid_response', 'the node gave an id, but pushes nothing')
  }
  return { ...response, result: rawJsonFromText(`"${id}"`, id), subscription: underOwnId(id, subscription) }
}

/** Two nodes, or two connections to one, may give the same id to different subscriptions of a caller. */
function underOwnId(id: string, { open }: RpcSubscription): RpcSubscription {
  return {
    id,
    idName: 'subscription_id',
    open: (sink) =>
      open({
        event: (method, result) => sink.event(method, result),
        gap: (gap) => sink.gap(gap),
        // A caller who did not end it must hear of its end, or events would be missing silently.
        end: (why) => sink.end(why ?? new RpcError('disconnected', 'the node ended the subscription')),
      }),
  }
}

/** `{ subscription_id }` or `[subscription_id]`. */
function unsubscribe({ params }: RpcRequest, session: RpcSession | undefined): RpcResponse {
  const given = params?.value()
  const id: unknown = Array.isArray(given) ? given[0] : (given as { subscription_id?: unknown } | null)?.subscription_id
  const end = typeof id === 'string' ? session?.subscriptions.get(id) : undefined
  if (end === undefined) return { error: notFound }
  session!.subscriptions.delete(id as string)
  end()
  return { result: rawJsonFromText('true', true) }
}
