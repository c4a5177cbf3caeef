import {
  rawJsonFromText,
  type RpcContext,
  type RpcErrorObject,
  type RpcHandler,
  type RpcMiddleware,
  type RpcRequest,
  type RpcResponse,
  type RpcResult,
  type RpcSession,
  type RpcSubscription,
} from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'

export interface SessionOptions {
  /** Most subscriptions of one connection. */
  readonly maxSubscriptions: number
}

/** Methods that need a connection: subscriptions are opened below, ended here, and refused over plain HTTP. */
export function sessions(facts: MethodFacts, { maxSubscriptions }: SessionOptions): RpcMiddleware<RpcContext> {
  /** Subscriptions asked for and not yet open: calls side by side must not pass the cap together. */
  const opening = new WeakMap<RpcSession, number>()
  const countOpening = (session: RpcSession, change: 1 | -1): void =>
    void opening.set(session, (opening.get(session) ?? 0) + change)

  async function subscribe(
    next: RpcHandler,
    request: RpcRequest,
    context: RpcContext,
    session: RpcSession,
  ): Promise<RpcResponse> {
    countOpening(session, 1)
    const settled = (): void => countOpening(session, -1)
    const response = await next(request, context).catch((why: unknown) => {
      settled()
      throw why
    })
    const subscription = response.error === undefined ? response.subscription : undefined
    if (subscription === undefined) {
      settled()
      return response
    }
    const open: RpcSubscription['open'] = (sink) => {
      settled()
      return subscription.open(sink)
    }
    return { ...(response as RpcResult), subscription: { id: subscription.id, open } }
  }

  return (next) => (request, context) => {
    const spec = Object.hasOwn(facts, request.method) ? facts[request.method] : undefined
    if (spec?.effect !== 'session') return next(request, context)
    const { session } = context
    if (session === undefined) return fail({ code: -32601, message: 'notifications not supported' })
    if (spec.subscription === undefined) return unsubscribe(request, session.subscriptions)
    if (session.subscriptions.size + (opening.get(session) ?? 0) >= maxSubscriptions) {
      return fail({ code: -32005, message: `at most ${maxSubscriptions} subscriptions fit a connection` })
    }
    return subscribe(next, request, context, session)
  }
}

function unsubscribe(request: RpcRequest, subscriptions: Map<string, () => void>): Promise<RpcResponse> {
  const params = request.params?.value()
  const id: unknown = Array.isArray(params) ? params[0] : undefined
  if (typeof id !== 'string') return fail({ code: -32602, message: 'missing value for required argument 0' })
  const end = subscriptions.get(id)
  if (end === undefined) return fail({ code: -32000, message: 'subscription not found' })
  subscriptions.delete(id)
  end()
  return Promise.resolve({ result: rawJsonFromText('true', true) })
}

function fail(error: RpcErrorObject): Promise<RpcResponse> {
  return Promise.resolve({ error })
}
