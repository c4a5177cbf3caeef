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
import { randomBytes as realRandomBytes } from './defaults.ts'
import { subscribeRefusal, unsubscribeId } from './subscribe-params.ts'
import { newSubscriptionId } from './subscription-id.ts'

/** What {@link evmEvents} takes from its surroundings. */
export interface EvmEventsOptions {
  /** As many bytes that nobody can guess. Default: those of the platform. */
  readonly randomBytes?: (count: number) => Uint8Array
}

/**
 * Serves `eth_subscribe` and `eth_unsubscribe` to callers with a session, over a handler that opens subscriptions; every
 * other call passes. Kinds, ids and errors are geth's. A subscription that its caller did not end never ends without a reason.
 */
export function evmEvents(options: EvmEventsOptions = {}): RpcMiddleware<RpcContext> {
  const { randomBytes = realRandomBytes } = options
  return (next) => (request, context) => {
    switch (request.method) {
      case 'eth_subscribe':
        return subscribe(next, request, context, randomBytes)
      case 'eth_unsubscribe':
        return Promise.resolve(unsubscribe(request, context.session))
      default:
        return next(request, context)
    }
  }
}

const notSupported: RpcErrorObject = { code: -32601, message: 'notifications not supported' }
const notFound: RpcErrorObject = { code: -32000, message: 'subscription not found' }

async function subscribe(
  next: RpcHandler,
  request: RpcRequest,
  context: RpcContext,
  randomBytes: (count: number) => Uint8Array,
): Promise<RpcResponse> {
  const refusal = context.session === undefined ? notSupported : subscribeRefusal(request.params)
  if (refusal !== undefined) return { error: refusal }
  const response = await next(request, context)
  if (response.error !== undefined) return response
  const { result, subscription } = response
  if (subscription === undefined) {
    if (isStream(result)) result.cancel()
    throw new RpcError('invalid_response', 'the peer gave an id, but pushes nothing')
  }
  const id = newSubscriptionId(randomBytes)
  return { ...response, result: rawJsonFromText(`"${id}"`, id), subscription: underOwnId(id, subscription) }
}

/** Two peers, or two connections to one, may give the same id to different subscriptions of a caller. */
function underOwnId(id: string, subscription: RpcSubscription): RpcSubscription {
  return {
    id,
    open: (sink) =>
      subscription.open({
        event: (method, result) => sink.event(method, result),
        gap: (gap) => sink.gap(gap),
        // Whoever did not end it must hear that it has: what is missing from now on would be missing silently.
        end: (why) => sink.end(why ?? new RpcError('disconnected', 'the peer ended the subscription')),
      }),
  }
}

function unsubscribe({ params }: RpcRequest, session: RpcSession | undefined): RpcResponse {
  if (session === undefined) return { error: notSupported }
  const id = unsubscribeId(params)
  if (typeof id !== 'string') return { error: id }
  const end = session.subscriptions.get(id)
  if (end === undefined) return { error: notFound }
  session.subscriptions.delete(id)
  end()
  return { result: rawJsonFromText('true', true) }
}
