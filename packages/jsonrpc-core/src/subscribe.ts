import { ask, type CallOptions, parseResult } from './ask.ts'
import type { RpcClientOptions } from './client.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import type { RpcGap, RpcSubscription } from './session.ts'
import type { Position } from './wire.ts'

/** Where events may be missing. */
export interface Gap {
  readonly reason: string
  /** The last event before it; undefined where there was none. */
  readonly last: unknown
  /** The first event after it, which is told next; undefined where the source did not say. */
  readonly first: unknown
  /** The place in the chain after which events may be missing, where the source knows it. */
  readonly after?: Position | undefined
}

/** What a subscriber is told. */
export interface Subscriber {
  readonly onEvent: (result: unknown) => void
  /** Events may have been lost. */
  readonly onGap?: (gap: Gap) => void
  /** No more events come; without an error after `unsubscribe` or an orderly end. */
  readonly onEnd?: (why: RpcError | undefined) => void
}

export interface Subscription {
  readonly id: string
  unsubscribe(): void
}

/** How the call that subscribes is made. */
export interface SubscribeOptions extends CallOptions, RpcClientOptions {}

/**
 * Opens a subscription by a method that answers with its id, such as `eth_subscribe`.
 * @throws RpcError `rpc` where the peer refused, `unavailable` where the handler carries no subscriptions.
 */
export async function subscribe(
  handler: RpcHandler,
  method: string,
  params: unknown,
  subscriber: Subscriber,
  options: SubscribeOptions = {},
): Promise<Subscription> {
  const subscription = await askSubscription(handler, method, params, options)
  let over = false
  let leave = (): void => {}

  function end(why: RpcError | undefined): void {
    if (over) return
    over = true
    leave()
    tell(() => subscriber.onEnd?.(why))
  }

  /** What is no JSON ends it. */
  function tellParsed<T>(parse: () => T, listener: ((value: T) => void) | undefined): void {
    if (over) return
    let value: T
    try {
      value = parse()
    } catch (thrown) {
      return end(thrown as RpcError)
    }
    tell(() => listener?.(value))
  }

  leave = subscription.open({
    event(_event, result) {
      tellParsed(() => parseResult(result, method), subscriber.onEvent)
      return true
    },
    gap: (gap) => tellParsed(() => parseGap(gap, method), subscriber.onGap),
    end,
  })
  // An event that could not be read may have ended it before it could be left.
  if (over) leave()
  return { id: subscription.id, unsubscribe: () => end(undefined) }
}

/** @throws RpcError as {@link subscribe} does. */
export async function askSubscription(
  handler: RpcHandler,
  method: string,
  params: unknown,
  options: SubscribeOptions,
): Promise<RpcSubscription> {
  const { subscription } = await ask(handler, method, params, options)
  if (subscription !== undefined) return subscription
  throw new RpcError('unavailable', `${method}: this transport carries no subscriptions; use a WebSocket URL`)
}

/** @throws RpcError `invalid_response` where an event is no JSON. */
export function parseGap({ reason, after, last, first }: RpcGap, method: string): Gap {
  return {
    reason,
    after,
    last: last && parseResult(last, method),
    first: first && parseResult(first, method),
  }
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
