import { ask, type CallOptions, parseResult } from './ask.ts'
import type { RpcClientOptions } from './client.ts'
import { RpcError } from './error.ts'
import type { RpcHandler } from './handler.ts'
import type { RpcGap, RpcSubscription } from './session.ts'
import type { Position } from './wire.ts'

/** A place where events may be missing. */
export interface Gap {
  readonly reason: string
  /** The last event before it; undefined if there was none. */
  readonly last: unknown
  /** The first event after it, which comes next; undefined if the source does not know it. */
  readonly first: unknown
  /** The place in the chain after which events may be missing, if the source knows it. */
  readonly after?: Position | undefined
}

/** The callbacks of a subscriber. */
export interface Subscriber {
  readonly onEvent: (result: unknown) => void
  /** Called when events may have been lost. */
  readonly onGap?: (gap: Gap) => void
  /** Called when no more events come; without an error after `unsubscribe` or an orderly end. */
  readonly onEnd?: (why: RpcError | undefined) => void
}

export interface Subscription {
  readonly id: string
  unsubscribe(): void
}

/** The options of the call that subscribes. */
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
    report(() => subscriber.onEnd?.(why))
  }

  /** Passes a parsed value on. One that is not JSON ends the subscription. */
  function reportParsed<T>(parse: () => T, listener: ((value: T) => void) | undefined): void {
    if (over) return
    let value: T
    try {
      value = parse()
    } catch (thrown) {
      return end(thrown as RpcError)
    }
    report(() => listener?.(value))
  }

  leave = subscription.open({
    event(_event, result) {
      reportParsed(() => parseResult(result, method), subscriber.onEvent)
      return true
    },
    gap: (gap) => reportParsed(() => parseGap(gap, method), subscriber.onGap),
    end,
  })
  // A held event that is not JSON may have ended it already.
  if (over) leave()
  return { id: subscription.id, unsubscribe: () => end(undefined) }
}

/** Makes the call that subscribes. @throws RpcError as {@link subscribe} does. */
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

/** Parses the events of a gap. @throws RpcError `invalid_response` if one is not JSON. */
export function parseGap({ reason, after, last, first }: RpcGap, method: string): Gap {
  return {
    reason,
    after,
    last: last && parseResult(last, method),
    first: first && parseResult(first, method),
  }
}

/** Calls a subscriber. Its errors surface in a later turn, as from an event listener, and leave the shared connection alone. */
function report(subscriber: () => void): void {
  try {
    subscriber()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}
