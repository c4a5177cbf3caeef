import {
  isStream,
  type RawJson,
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
import { invalidParams } from './invalid-params.ts'
import { randomBytes as realRandomBytes } from './defaults.ts'
import { jsonType, subscriptionKinds } from './subscription-kinds.ts'

/** Options of {@link evmEvents}. */
export interface EvmEventsOptions {
  /** Returns `count` bytes that nobody can guess. Default: the platform's. */
  readonly randomBytes?: (count: number) => Uint8Array
  /** Whether callers without a session may subscribe, who hold what they opened by themselves, as a program does. Default: they are refused. */
  readonly withoutSession?: boolean
}

/**
 * Serves `eth_subscribe` and `eth_unsubscribe` to callers with a session, over a handler that opens subscriptions. Every
 * other call passes. Kinds, ids and errors are geth's. A subscription that its caller did not end always ends with a reason.
 */
export function evmEvents(options: EvmEventsOptions = {}): RpcMiddleware<RpcContext> {
  const { randomBytes = realRandomBytes, withoutSession = false } = options
  return (next) => (request, context) => {
    switch (request.method) {
      case 'eth_subscribe':
        return context.session === undefined && !withoutSession
          ? Promise.resolve({ error: notSupported })
          : subscribe(next, request, context, randomBytes)
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
  const refusal = subscribeRefusal(request.params)
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

/** Replaces the peer's id: two peers, or two connections to one, may give the same id to different subscriptions of a caller. */
function underOwnId(id: string, subscription: RpcSubscription): RpcSubscription {
  return {
    id,
    open: (sink) =>
      subscription.open({
        event: (method, result) => sink.event(method, result),
        drained: () => sink.drained?.(),
        gap: (gap) => sink.gap(gap),
        // The caller did not end it, so it must learn that no more events come.
        end: (why) => sink.end(why ?? new RpcError('disconnected', 'the peer ended the subscription')),
        reached: (at) => sink.reached?.(at),
      }),
  }
}

/** An id that nobody can guess, as geth prints it: 16 random bytes as a hex quantity, without leading zeros. */
export function newSubscriptionId(randomBytes: (count: number) => Uint8Array): string {
  const digits = Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `0x${digits.replace(/^0{1,31}/, '')}`
}

function unsubscribe({ params }: RpcRequest, session: RpcSession | undefined): RpcResponse {
  if (session === undefined) return { error: notSupported }
  const id = idIn(params)
  if (typeof id !== 'string') return { error: id }
  const end = session.subscriptions.get(id)
  if (end === undefined) return { error: notFound }
  session.subscriptions.delete(id)
  end()
  return { result: rawJsonFromText('true', true) }
}

/** The error for params that `eth_subscribe` does not take, in geth's words; undefined if they are right. */
function subscribeRefusal(params: RawJson | undefined): RpcErrorObject | undefined {
  const value = params?.value()
  if (!Array.isArray(value)) return invalidParams('non-array args')
  const [kind, ...rest] = value as unknown[]
  if (typeof kind !== 'string') return invalidParams('expected subscription name as first argument')
  // A kind that only some nodes know is theirs to judge.
  const rule = Object.hasOwn(subscriptionKinds, kind) ? subscriptionKinds[kind] : undefined
  if (rule === undefined) return undefined
  if (rest.length > rule.most) return invalidParams(`too many arguments, want at most ${rule.most + 1}`)
  if (rest.length < rule.least) return invalidParams('missing value for required argument 1')
  const problem = rule.problem(rest[0])
  return problem === undefined ? undefined : invalidParams(`invalid argument 1: ${problem}`)
}

/** The id in the params of `eth_unsubscribe` and its like, or the error if there is none. */
export function idIn(params: RawJson | undefined): string | RpcErrorObject {
  const value = params?.value() ?? []
  if (!Array.isArray(value)) return invalidParams('non-array args')
  if (value.length === 0) return invalidParams('missing value for required argument 0')
  if (value.length > 1) return invalidParams('too many arguments, want at most 1')
  const id: unknown = value[0]
  if (typeof id === 'string') return id
  if (id === null) return ''
  return invalidParams(`invalid argument 0: json: cannot unmarshal ${jsonType(id)} into Go value of type rpc.ID`)
}
