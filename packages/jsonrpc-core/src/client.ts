import type { Clock } from './clock.ts'
import { createContext } from './context.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import { isStream, type RawJson, rawJsonFromValue } from './raw-json.ts'
import type { RpcResult } from './response.ts'
import type { RpcSchema } from './schema/method-spec.ts'
import type { RpcSubscription } from './session.ts'

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal
  /** How long the call may take, body included, in ms. Default: the client's. */
  readonly timeoutMs?: number
}

/** What a subscriber is told. */
export interface Subscriber {
  readonly onEvent: (result: unknown) => void
  /** Events may have been lost. */
  readonly onGap?: (reason: string) => void
  /** No more events come; without an error after `unsubscribe`. */
  readonly onEnd?: (why: RpcError | undefined) => void
}

export interface Subscription {
  readonly id: string
  unsubscribe(): void
}

/** Calls by name, typed by a record-shaped schema: an unknown method does not compile. */
export interface RpcClient<S extends RpcSchema<S>> {
  /** @throws RpcError `rpc` where the peer answered with an error, any other code where none answered. */
  request<M extends keyof S & string>(method: M, params: S[M]['params'], options?: CallOptions): Promise<S[M]['result']>
  /** The escape from the schema: any method, the result as `T` on the caller's word. */
  requestUnchecked<T = unknown>(method: string, params?: unknown, options?: CallOptions): Promise<T>
  /** Opens a subscription by a method that answers with its id, such as `eth_subscribe`. */
  subscribe(method: string, params: unknown, subscriber: Subscriber, options?: CallOptions): Promise<Subscription>
}

export interface RpcClientOptions {
  /** Default 30,000 ms. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

/** A client over any handler: a transport, a pool, a middleware around either. */
export function createRpcClient<S extends RpcSchema<S>>(
  handler: RpcHandler,
  options: RpcClientOptions = {},
): RpcClient<S> {
  const { clock = systemClock, timeoutMs = 30_000 } = options

  async function call(method: string, params: unknown, { signal, timeoutMs: own }: CallOptions): Promise<RpcResult> {
    const context = createContext({ clock, timeoutMs: own ?? timeoutMs, signal })
    try {
      const request = {
        method,
        params: params === undefined ? undefined : rawJsonFromValue(params),
        notification: false,
      }
      const response = await handler(request, context)
      if (response.error !== undefined) {
        const { code, message } = response.error
        throw new RpcError('rpc', `${method}: ${message} (${code})`, { rpc: response.error })
      }
      return response
    } finally {
      context.release()
    }
  }

  async function requestUnchecked<T>(method: string, params?: unknown, callOptions: CallOptions = {}): Promise<T> {
    const { result } = await call(method, params, callOptions)
    if (isStream(result)) {
      result.cancel()
      throw new RpcError('invalid_response', `${method}: a whole result was expected, not a stream`)
    }
    return parse(result, method) as T
  }

  return {
    request: (method, params, callOptions) => requestUnchecked(method, params, callOptions),
    requestUnchecked,
    async subscribe(method, params, subscriber, callOptions = {}) {
      const { subscription } = await call(method, params, callOptions)
      if (subscription === undefined) {
        throw new RpcError('unavailable', `${method}: this transport carries no subscriptions; use a WebSocket URL`)
      }
      return openSubscription(method, subscription, subscriber)
    },
  }
}

function openSubscription(method: string, subscription: RpcSubscription, subscriber: Subscriber): Subscription {
  let over = false
  let leave = (): void => {}

  function end(why: RpcError | undefined): void {
    if (over) return
    over = true
    leave()
    tell(() => subscriber.onEnd?.(why))
  }

  leave = subscription.open({
    event(_event, result) {
      if (over) return true
      let value: unknown
      try {
        value = parse(result, method)
      } catch (thrown) {
        end(thrown as RpcError)
        return true
      }
      tell(() => subscriber.onEvent(value))
      return true
    },
    gap: ({ reason }) => tell(() => subscriber.onGap?.(reason)),
    end,
  })
  // An event that could not be read may have ended it before it could be left.
  if (over) leave()
  return { id: subscription.id, unsubscribe: () => end(undefined) }
}

/** What a subscriber throws surfaces on its own, as from an event listener: it must not disturb the connection it shares. */
function tell(subscriber: () => void): void {
  try {
    subscriber()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

function parse(result: RawJson, method: string): unknown {
  try {
    return result.parse()
  } catch {
    throw new RpcError('invalid_response', `${method}: the result is not JSON`)
  }
}
