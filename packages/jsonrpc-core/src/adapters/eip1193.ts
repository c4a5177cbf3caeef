import { ask, parseResult } from '../ask.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import { describeRpcError, RpcError, toRpcError } from '../error.ts'
import type { RpcHandler } from '../handler.ts'
import { isStream } from '../raw-json.ts'
import type { SubscriptionFacts } from '../schema/method-spec.ts'
import { endUnopened } from '../server-subscription.ts'
import type { RpcSubscription } from '../session.ts'

/** A call in the form of EIP-1193. */
export interface RequestArguments {
  readonly method: string
  readonly params?: readonly unknown[] | object | undefined
}

/** The events of a provider, by name. */
export interface ProviderEvents {
  /** A push. Two types are this package's own: `subscription_gap` (events may be missing) and `subscription_end` (no more come). */
  readonly message: { readonly type: string; readonly data: unknown }
  /** A peer answers again, or for the first time. */
  readonly connect: { readonly chainId: string }
  /** No peer could be reached. */
  readonly disconnect: ProviderRpcError
  /** A peer gave another chain id than before. */
  readonly chainChanged: string
}

/** An EIP-1193 provider. */
export interface Provider {
  /** @throws ProviderRpcError */
  request(call: RequestArguments, options?: { readonly signal?: AbortSignal }): Promise<unknown>
  on<E extends keyof ProviderEvents>(event: E, listener: (value: ProviderEvents[E]) => void): Provider
  removeListener<E extends keyof ProviderEvents>(event: E, listener: (value: ProviderEvents[E]) => void): Provider
  /** Ends its subscriptions and refuses further calls. The handler stays open. */
  close(): void
  [Symbol.dispose](): void
}

export interface ProviderOptions {
  /** The methods that open subscriptions, and those that end them. Default none. */
  readonly subscriptions?: Readonly<Record<string, SubscriptionFacts>>
  /** The method that returns the chain id; without it there is neither `connect` nor `chainChanged`. */
  readonly chainIdMethod?: string
  /** Time that a call may take, in ms. Default 30,000. */
  readonly timeoutMs?: number
  readonly clock?: Clock
}

type AnyListener = (value: never) => void

/** Makes an EIP-1193 provider of a handler, for libraries that take one. */
export function createProvider(handler: RpcHandler, options: ProviderOptions = {}): Provider {
  const { subscriptions = {}, chainIdMethod, clock = systemClock, timeoutMs = 30_000 } = options
  const enders = new Set(Object.values(subscriptions).map((facts) => facts.unsubscribe))
  const listeners = new Map<keyof ProviderEvents, AnyListener[]>()
  /** The function that ends each subscription, by its id. */
  const live = new Map<string, () => void>()
  /** The functions that abort the calls under way. */
  const calls = new Set<() => void>()
  let closed = false
  let connected = false
  let chainId: string | undefined

  function emit<E extends keyof ProviderEvents>(event: E, value: ProviderEvents[E]): void {
    for (const listener of listeners.get(event) ?? []) {
      try {
        ;(listener as (value: ProviderEvents[E]) => void)(value)
      } catch (thrown) {
        // It surfaces in a later turn, and disturbs neither the call nor the other listeners.
        queueMicrotask(() => {
          throw thrown
        })
      }
    }
  }

  /** Notes that a peer answered. `reported` is its chain id, if that was asked. */
  function answered(reported?: string): void {
    if (connected || closed) return
    connected = true
    if (reported !== undefined) return emit('connect', { chainId: reported })
    if (chainIdMethod === undefined || !(listeners.has('connect') || listeners.has('chainChanged'))) return
    call(chainIdMethod, [], undefined).then(
      (id) => {
        if (connected && typeof id === 'string') emit('connect', { chainId: id })
      },
      () => {},
    )
  }

  function failed(why: RpcError): void {
    if (why.code !== 'connect' && why.code !== 'disconnected') return
    const was = connected
    connected = false
    if (was) emit('disconnect', new ProviderRpcError(1013, why.message, undefined, why))
  }

  function learn(id: string): void {
    const before = chainId
    chainId = id
    if (before !== undefined && id !== before) emit('chainChanged', id)
  }

  async function call(method: string, params: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    // Each call has its own signal: a shared one makes Node 20 warn of a leak, and `AbortSignal.any` leaks there.
    const controller = new AbortController()
    const abort = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    calls.add(abort)
    try {
      const { result, subscription } = await ask(handler, method, params, {
        clock,
        timeoutMs,
        signal: controller.signal,
      })
      if (isStream(result)) {
        result.cancel()
        throw new RpcError('invalid_response', `${method}: a whole result was expected, not a stream`)
      }
      const value = parseResult(result, method)
      if (subscription !== undefined) keep(subscription)
      const reported = method === chainIdMethod && typeof value === 'string' ? value : undefined
      if (reported !== undefined) learn(reported)
      answered(reported)
      return value
    } catch (thrown) {
      const why = toRpcError(thrown, 'unavailable', 'the call failed')
      if (why.code === 'rpc') answered()
      else failed(why)
      throw closed ? closedError() : toProviderError(why)
    } finally {
      calls.delete(abort)
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Opens a subscription in a later turn, so that its caller knows the id before the first event. */
  function keep(subscription: RpcSubscription): void {
    if (closed) return endUnopened(subscription)
    const { id } = subscription
    const stop = clock.after(0, () => {
      const leave = subscription.open({
        event(type, raw) {
          report(type, () => ({ subscription: id, result: parseResult(raw, type) }))
          return true
        },
        gap: ({ reason }) => report('subscription_gap', () => ({ subscription: id, reason })),
        end(why) {
          live.delete(id)
          report('subscription_end', () => ({ subscription: id, reason: why?.message }))
          if (why !== undefined) failed(why)
        },
      })
      if (live.get(id) === leaveUnopened) live.set(id, leave)
    })
    const leaveUnopened = (): void => {
      stop()
      endUnopened(subscription)
    }
    live.set(id, leaveUnopened)
  }

  function report(type: string, read: () => unknown): void {
    let data: unknown
    try {
      data = read()
    } catch {
      // An event that is not JSON is lost.
      return
    }
    emit('message', { type, data })
  }

  function unsubscribe(id: unknown): boolean {
    const leave = typeof id === 'string' ? live.get(id) : undefined
    if (leave === undefined) return false
    live.delete(id as string)
    leave()
    return true
  }

  function close(): void {
    if (closed) return
    closed = true
    for (const leave of live.values()) leave()
    live.clear()
    for (const abort of calls) abort()
    if (connected) emit('disconnect', new ProviderRpcError(1000, 'the provider was closed'))
    connected = false
    listeners.clear()
  }

  const provider: Provider = {
    async request({ method, params }, { signal } = {}) {
      if (closed) throw closedError()
      if (typeof method !== 'string') throw new ProviderRpcError(-32600, 'a method name was expected')
      if (enders.has(method)) return unsubscribe((params as readonly unknown[] | undefined)?.[0])
      return call(method, params, signal)
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener])
      return provider
    },
    removeListener(event, listener) {
      const left = listeners.get(event)?.filter((each) => each !== listener) ?? []
      if (left.length > 0) listeners.set(event, left)
      else listeners.delete(event)
      return provider
    },
    close,
    [Symbol.dispose]: close,
  }
  return provider
}

function closedError(): ProviderRpcError {
  return new ProviderRpcError(4900, 'the provider is closed')
}

/** The error of EIP-1193. Its code is 4900 if no peer could be reached, else the peer's own, with its data, or one of EIP-1474. */
export class ProviderRpcError extends Error {
  override readonly name: string = 'ProviderRpcError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, cause?: RpcError) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
  }
}

/** Turns a failure into an error of EIP-1193. The `cause` tells the delivery. */
function toProviderError(why: RpcError): ProviderRpcError {
  // Here the caller holds the key, so an error beside an HTTP status is meant for it.
  if (why.rpc !== undefined) return new ProviderRpcError(why.rpc.code, why.rpc.message, why.rpc.data, why)
  return new ProviderRpcError(codeOf(why), why.message, undefined, why)
}

function codeOf(why: RpcError): number {
  if (why.code === 'connect' || why.code === 'disconnected') return 4900
  if (why.httpStatus === 401 || why.httpStatus === 403) return 4100
  if (why.httpStatus === 429) return -32005
  return describeRpcError(why).code
}
