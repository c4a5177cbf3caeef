import { rawJsonFromText, type RpcHandler } from '@wayleave/jsonrpc-core'
import { type EventIterator, type EventIteratorOptions, iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { checkStarknetParams } from './starknet-calls.ts'
import type { StarknetNotifications, StarknetVersion } from '@wayleave/starknet-types'

type EventName<Name extends string> = Name extends 'NewTransactions'
  ? 'starknet_subscriptionNewTransaction'
  : `starknet_subscription${Name}`

type Notification<V, M> = V extends keyof Notifications
  ? M extends keyof Notifications[V]
    ? { readonly method: M; readonly result: Notifications[V][M] }
    : never
  : never

interface Notifications {
  readonly '0.8': StarknetNotifications<'0.8'>
  readonly '0.9': StarknetNotifications<'0.9'>
  readonly '0.10': StarknetNotifications<'0.10'>
}

/**
 * An event of a Starknet subscription, by the method of its notification: `starknet_subscriptionNewHeads` and its like, or
 * `starknet_subscriptionReorg`, which takes back the blocks that it names. Typed, not checked.
 */
export type StarknetEvent<V, Name extends string> =
  | Notification<V, EventName<Name>>
  | (Name extends 'PendingTransactions' ? never : Notification<V, 'starknet_subscriptionReorg'>)

export type StarknetEventOptions = Omit<EventIteratorOptions, 'clock'>

/** Opens a Starknet subscription. @throws SchemaError, RpcError, TypeError for a method that the version lacks */
export async function starknetEvents(
  handler: RpcHandler,
  version: StarknetVersion,
  method: string,
  params: unknown,
  options: StarknetEventOptions,
): Promise<EventIterator<unknown>> {
  await checkStarknetParams(version, method, params)
  return iterateEvents(named(handler), method, params, options)
}

/** Wraps a handler so that each event says which notification it was. */
function named(next: RpcHandler): RpcHandler {
  return async (request, context) => {
    const response = await next(request, context)
    if (response.error !== undefined || response.subscription === undefined) return response
    const { subscription } = response
    return {
      ...response,
      subscription: {
        id: subscription.id,
        open: (sink) =>
          subscription.open({
            ...sink,
            event: (method, result) =>
              sink.event(method, rawJsonFromText(`{"method":${JSON.stringify(method)},"result":${result.text()}}`)),
          }),
      },
    }
  }
}
